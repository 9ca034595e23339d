import { expect, test } from "vitest";
import { offsetText, sessionIn, sessionText, wallOf, wallText, zoneOfSession } from "./format";

test("session times stay as they are written", () => {
  expect(sessionText("2026-11-21T00:00:00+09:00")).toBe("2026-11-21 00:00 +09:00");
  expect(sessionText("2026-11-21T00:00:05-03:30")).toBe("2026-11-21 00:00:05 -03:30");
  expect(sessionText("2026-11-21T00:00:00Z")).toBe("2026-11-21 00:00 +00:00");
  expect(sessionText("tomorrow")).toBe("tomorrow");
});

test("wall times have their offset", () => {
  const at = Date.parse("2026-11-20T18:00:05.999Z");
  expect(wallText(at, "Asia/Tokyo")).toBe("2026-11-21 03:00:05 +09:00");
  expect(wallText(at, "UTC")).toBe("2026-11-20 18:00:05 UTC");
  expect(wallText(at, "Asia/Kathmandu")).toBe("2026-11-20 23:45:05 +05:45");
  expect(wallText(at, zoneOfSession("2026-11-21T00:00:00-05:00"))).toBe("2026-11-20 13:00:05 -05:00");
  expect(wallText(at, "No/Such")).toBe("2026-11-20 18:00:05 +00:00");
  expect(wallText(-1, "UTC")).toBe("1969-12-31 23:59:59 UTC");
});

test("offsets", () => {
  expect([offsetText(0), offsetText(-210), offsetText(840)]).toEqual(["+00:00", "-03:30", "+14:00"]);
});

// What a clock shows, less its offset, is the instant; so it is around every change of every zone.
test("wall times agree with the instant in all zones around all their changes from 2020 to 2030", () => {
  const from = Date.UTC(2020, 0, 1);
  const to = Date.UTC(2030, 0, 1);
  const hour = 3_600_000;
  let changes = 0;
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    let before = wallOf(from, zone).offset;
    for (let at = from; at < to; at += 14 * 24 * hour) {
      const offset = wallOf(at, zone).offset;
      if (offset === before) continue;
      changes++;
      let low = at - 14 * 24 * hour;
      let high = at;
      while (high - low > 1000) {
        const middle = Math.floor((low + high) / 2000) * 1000;
        if (wallOf(middle, zone).offset === before) low = middle;
        else high = middle;
      }
      for (const ms of [high - 1000, high, high + 1000]) {
        const wall = wallOf(ms, zone);
        expect(Date.parse(`${wall.date}T${wall.time}${wall.offset}`), `${zone} at ${ms}`).toBe(Math.floor(ms / 1000) * 1000);
      }
      before = offset;
    }
  }
  expect(changes).toBeGreaterThan(1000);
}, 60_000);

test("a session time that came in UTC stands in the zone of its workflow", () => {
  expect(sessionIn("2026-11-20T15:00:00.000Z", "Asia/Tokyo")).toBe("2026-11-21 00:00 +09:00");
  expect(sessionIn("2026-11-20T15:00:07.000Z", "UTC")).toBe("2026-11-20 15:00:07 +00:00");
  expect(sessionIn("soon", "UTC")).toBe("soon");
});

test("what is no instant is a dash", () => {
  expect(wallOf(Number.NaN, "UTC").date).toBe("–");
  expect(wallOf(Number.NaN, "nowhere").date).toBe("–");
});
