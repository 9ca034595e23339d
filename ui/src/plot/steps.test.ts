import { expect, test } from "vitest";
import { areaOf, niceTop } from "./steps";

const box = { from: 0, to: 100, top: 10, width: 200, height: 50 };

test("an area follows its steps, ends where steps are missing, and stays in its box", () => {
  expect(areaOf([], 10, box)).toBe("");
  expect(areaOf([{ at: 0, value: 5 }], 10, box)).toBe("M0 50V25H20V50Z");
  expect(
    areaOf(
      [
        { at: 0, value: 5 },
        { at: 10, value: 10 },
        { at: 50, value: 99 },
      ],
      10,
      box,
    ),
  ).toBe("M0 50V25H20V0H40V50ZM100 50V0H120V50Z");
  expect(areaOf([{ at: 95, value: 1 }], 10, box)).toBe("M190 50V45H200V50Z");
  expect(areaOf([{ at: -20, value: 1 }], 10, box)).toBe("");
});

test("the top of an axis is a round number that is not below the largest value", () => {
  for (const [value, top] of [
    [0, 1],
    [1, 1],
    [3, 4],
    [7, 8],
    [11, 20],
    [214, 400],
    [1000, 1000],
  ] as const)
    expect(niceTop(value)).toBe(top);
});
