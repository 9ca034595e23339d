import { expect, test } from "vitest";
import { age, duration, elapsed } from "./duration";

test.each([
  [0, "0 ms"],
  [840, "840 ms"],
  [999.4, "999 ms"],
  [999.6, "1.0 s"],
  [12_400, "12.4 s"],
  [59_949, "59.9 s"],
  [59_960, "1 min 00 s"],
  [185_000, "3 min 05 s"],
  [3_599_600, "1 h 00 min"],
  [7_800_000, "2 h 10 min"],
  [86_399_000, "1 d 0 h"],
  [273_600_000, "3 d 4 h"],
  [-1500, "−1.5 s"],
  [Number.NaN, "–"],
])("%d ms is %s", (ms, want) => {
  expect(duration(ms)).toBe(want);
});

test("what goes on has whole seconds and never runs ahead", () => {
  expect([elapsed(-300), elapsed(999), elapsed(59_999), elapsed(60_999), elapsed(3_600_000)]).toEqual([
    "0 s",
    "0 s",
    "59 s",
    "1 min 00 s",
    "1 h 00 min",
  ]);
});

test("lengths of all sizes never show a full smaller unit", () => {
  for (let ms = 1; ms < 400_000_000; ms = Math.ceil(ms * 1.0007)) {
    expect(duration(ms)).not.toMatch(/\b(60 s|60\.0 s|60 min|24 h|1000 ms)/);
  }
});

test("ages", () => {
  expect([age(0), age(7_000), age(240_000), age(-7_200_000), age(172_800_000)]).toEqual([
    "now",
    "7 s ago",
    "4 min ago",
    "in 2 h",
    "2 d ago",
  ]);
});
