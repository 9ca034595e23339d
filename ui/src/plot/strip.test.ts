import { expect, test } from "vitest";
import { barsOf } from "./strip";

test("bars lie side by side, or below each other where they overlap", () => {
  const { bars, lanes } = barsOf(
    [
      { at: 10, length: 30 },
      { at: 20, length: 10 },
      { at: 40, length: 5 },
      { at: 35, length: 5 },
    ],
    0,
    100,
    1,
  );
  expect(bars.map((bar) => bar.lane)).toEqual([0, 1, 0, 1]);
  expect(lanes).toBe(2);
});

test("bars stay in the strip, and have a width that can be seen", () => {
  const { bars } = barsOf(
    [
      { at: -20, length: 0 },
      { at: 90, length: 500 },
      { at: 100, length: 1 },
    ],
    0,
    100,
    2,
  );
  expect(bars).toEqual([
    { left: 0, width: 2, lane: 0 },
    { left: 90, width: 10, lane: 0 },
    { left: 98, width: 2, lane: 1 },
  ]);
});

test("no bars, no lanes", () => {
  expect(barsOf([], 0, 1, 1)).toEqual({ bars: [], lanes: 0 });
});
