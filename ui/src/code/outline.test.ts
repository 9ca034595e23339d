import { expect, test } from "vitest";
import { outlineOf } from "./outline";

test("tasks are found with their depth and line, and text that looks like tasks is none", () => {
  const source = [
    "timezone: UTC",
    "+extract:",
    "  _parallel: true",
    "  +orders:",
    "    sh>: |",
    "      +no: task",
    "",
    "      +neither:",
    "    # +nor this:",
    "  '+customers':",
    "    echo>: a",
    "+load:",
    "  loop>: 3",
    "  _do:",
    "    +one : {echo>: a}",
    "+last:",
  ].join("\n");
  expect(outlineOf(source)).toEqual([
    { name: "+extract", depth: 0, line: 2 },
    { name: "+orders", depth: 1, line: 4 },
    { name: "+customers", depth: 1, line: 10 },
    { name: "+load", depth: 0, line: 12 },
    { name: "+one", depth: 1, line: 15 },
    { name: "+last", depth: 0, line: 16 },
  ]);
  expect(outlineOf("")).toEqual([]);
});
