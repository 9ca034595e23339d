import { expect, test } from "vitest";
import { scrollFor, windowOf } from "./rows";

test("the rows to draw cover what is in sight, and are few", () => {
  for (const count of [0, 1, 7, 100, 100_000]) {
    for (const top of [0, 1, 27, 28, 1000, 2_799_000, 5_000_000]) {
      const { first, last } = windowOf(count, 28, top, 600);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(last).toBeLessThanOrEqual(count);
      expect(last - first).toBeLessThanOrEqual(47);
      const from = Math.floor(top / 28);
      const to = Math.min(count, Math.ceil((top + 600) / 28));
      if (from < to) expect(first <= from && last >= to, `${count} ${top}`).toBe(true);
    }
  }
});

test("a row is scrolled to only if it is out of sight, and never below what covers the top", () => {
  expect(scrollFor(5, 28, 0, 600)).toBeUndefined();
  expect(scrollFor(5, 28, 200, 600)).toBe(140);
  expect(scrollFor(50, 28, 0, 600)).toBe(51 * 28 - 600);
  expect(scrollFor(20, 28, 0, 600, 28)).toBe(21 * 28 - 600 + 28);
});
