import { expect, test } from "vitest";
import { slotsOf, slotsText } from "./poolslots";

test("slots are a whole number or unlimited, and come back as they were written", () => {
  for (const text of ["0", "4", "unlimited"]) expect(slotsText(slotsOf(text) ?? -9)).toBe(text);
  expect(slotsOf(" Unlimited ")).toBe(-1);
  for (const wrong of ["", "-2", "1.5", "4 slots", "1e3", "9999999999"]) expect(slotsOf(wrong)).toBeUndefined();
});
