import { beforeEach, expect, test } from "vitest";
import { clockOffset, forgetServerTime, noteServerTime } from "./clock";

beforeEach(forgetServerTime);

const header = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toUTCString();

test("answers with seconds alone give the difference of the clocks closely", () => {
  const ahead = 600_250;
  for (let i = 0; i < 40; i++) {
    const began = 1_790_000_000_000 + i * 777;
    noteServerTime(header(began + 20 + ahead), began, began + 40);
  }
  expect(Math.abs(clockOffset() - ahead)).toBeLessThan(80);
});

test("a clock that was set is taken as it is now", () => {
  const began = 1_790_000_000_000;
  noteServerTime(header(began), began, began + 10);
  noteServerTime(header(began + 90_000_000), began + 20, began + 30);
  expect(Math.abs(clockOffset() - 90_000_000)).toBeLessThan(1100);
});

test("answers without a date change nothing", () => {
  noteServerTime(null, 0, 1);
  noteServerTime("soon", 0, 1);
  expect(clockOffset()).toBe(0);
});
