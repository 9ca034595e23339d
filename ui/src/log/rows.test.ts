import { expect, test } from "vitest";
import { plain } from "./ansi";
import { readPiece } from "./lines";
import { LogLayout, wrapped } from "./rows";

const piece = (text: string, start = 0, first = 1) => readPiece(new TextEncoder().encode(text), start, first);
const none = new Set<number>();

test("wrapped rows together are the line", () => {
  const text = "日本語 and some\twords, longer than a row";
  const rows = wrapped(
    [
      { ...plain, text: text.slice(0, 9) },
      { ...plain, ink: 2, text: text.slice(9) },
    ],
    10,
  );
  expect(
    rows
      .flat()
      .map((segment) => segment.text)
      .join(""),
  ).toBe(text);
  expect(rows.length).toBeGreaterThan(3);
  expect(wrapped([], 10)).toEqual([[]]);
});

test("colours go on from piece to piece, and numbers, too", () => {
  const one = piece("plain\n\x1b[31mred\n");
  const two = piece("still red\n\x1b[0mplain\n", one.end, 3);
  const layout = new LogLayout();
  const rows = layout.rows([one, two], 0, none);
  expect(rows.map((row) => [row.number, row.segments[0]?.ink])).toEqual([
    [1, -1],
    [2, 1],
    [3, 1],
    [4, -1],
  ]);
  expect(layout.rows([two], 0, none)[0]?.segments[0]?.ink).toBe(-1);
});

test("long lines are cut until they are asked for, and levels are read", () => {
  const text = `${"z".repeat(20_000)}\n2026-11-24 01:23:31 +0000 [ERROR] (main) x: no\n`;
  const layout = new LogLayout();
  const [row, next] = layout.rows([piece(text)], 0, none);
  expect([row?.cut, row?.segments[0]?.text.length, next?.level]).toEqual([20_000 - 8192, 8192, "error"]);
  expect(layout.rows([piece(text)], 0, new Set([0]))[0]?.cut).toBe(0);
});
