import { expect, test } from "vitest";
import { instantsOf, takenInstant } from "./instants";

const iso = (list: readonly number[] | undefined) => list?.map((ms) => new Date(ms).toISOString());

test("a wall time is one instant, none in the gap of spring, and two in the overlap of autumn", () => {
  expect(iso(instantsOf("2026-11-21 03:00", "Asia/Tokyo"))).toEqual(["2026-11-20T18:00:00.000Z"]);
  expect(iso(instantsOf("2026-11-21", "UTC"))).toEqual(["2026-11-21T00:00:00.000Z"]);
  expect(instantsOf("2026-03-29 02:30", "Europe/Berlin")).toEqual([]);
  expect(iso(instantsOf("2026-10-25 02:30", "Europe/Berlin"))).toEqual(["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"]);
  for (const wrong of ["", "tomorrow", "2026-02-30", "2026-13-01", "2026-01-01 24:00", "2026-01-01 1"])
    expect(instantsOf(wrong, "UTC")).toBeUndefined();
});

test("what is taken in a gap is as much later, and in an overlap the first, and both are said", () => {
  const gap = takenInstant("2026-03-29 02:30", "Europe/Berlin");
  expect(new Date(gap?.ms ?? 0).toISOString()).toBe("2026-03-29T01:30:00.000Z");
  expect(gap?.note).toContain("leave this time out");
  const midnight = takenInstant("2018-11-04 00:30", "America/Sao_Paulo");
  expect(new Date(midnight?.ms ?? 0).toISOString()).toBe("2018-11-04T03:30:00.000Z");
  expect(takenInstant("2026-10-25 02:30", "Europe/Berlin")?.note).toContain("twice");
  expect(takenInstant("2026-10-25 04:30", "Europe/Berlin")?.note).toBeUndefined();
});

test("all hours of years around changes of the clock come back", () => {
  for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]) {
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2027, 0, 1); ms += 3_600_000 * 5) {
      const shown = format.format(ms);
      expect(instantsOf(shown, zone), `${zone} ${shown}`).toContain(ms);
    }
  }
});
