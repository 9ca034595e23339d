import { expect, test } from "vitest";
import { hexOf, readPlace, scheduleText, sizeText } from "./project";

test("sizes have a unit and two digits or three", () => {
  expect([0, 999, 1000, 9949, 9950, 999_499, 999_500, 1.2e6, 3e9, 5e12].map(sizeText)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "9.9 kB",
    "10 kB",
    "999 kB",
    "1.0 MB",
    "1.2 MB",
    "3.0 GB",
    "5 TB",
  ]);
});

test("places, sums and schedules are read", () => {
  expect(readPlace("a:b/c.dig:13:1")).toEqual({ file: "a:b/c.dig", line: "13" });
  expect(readPlace("c.dig")).toBeUndefined();
  expect(hexOf("/wQf")).toBe("ff041f");
  expect(scheduleText({ schedule: { "daily>": "03:00:00", skip_on_overtime: true } })).toBe("daily> 03:00:00");
  expect(scheduleText({ schedule: { "minutes_interval>": 30 } })).toBe("minutes_interval> 30");
  expect(scheduleText({ "+a": {} })).toBe("");
});
