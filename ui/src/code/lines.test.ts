import { expect, test } from "vitest";
import { pressLine, readLines, writeLines } from "./lines";

test("lines of an address are read and written", () => {
  for (const text of ["1", "10-20", "7"]) expect(writeLines(readLines(text) ?? { from: 0, to: 0 })).toBe(text);
  expect(readLines("20-10")).toEqual({ from: 10, to: 20 });
  for (const wrong of [undefined, "", "0", "a", "1-", "-3", "1-2-3", "1.5"]) expect(readLines(wrong)).toBeUndefined();
});

test("a press chooses a line, one with shift goes up to it, and a second press lets it go", () => {
  expect(pressLine(undefined, 5, false)).toEqual({ from: 5, to: 5 });
  expect(pressLine({ from: 5, to: 5 }, 9, true)).toEqual({ from: 5, to: 9 });
  expect(pressLine({ from: 5, to: 9 }, 2, true)).toEqual({ from: 2, to: 5 });
  expect(pressLine({ from: 5, to: 5 }, 5, false)).toBeUndefined();
  expect(pressLine(undefined, 5, true)).toEqual({ from: 5, to: 5 });
});
