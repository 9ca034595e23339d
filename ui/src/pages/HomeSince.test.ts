import { expect, test } from "vitest";
import { changesIn, choiceOf, plainLine, sinceAt, sinceText } from "./HomeSince";

const at = (text: string) => Date.parse(text);

test.each([
  ["2026-11-24T03:00:00+09:00", "Asia/Tokyo", "2026-11-23T09:00:00Z"],
  ["2026-11-24T20:00:00+09:00", "Asia/Tokyo", "2026-11-23T09:00:00Z"],
  ["2026-11-23T23:30:00Z", "UTC", "2026-11-22T18:00:00Z"],
  ["2026-03-01T01:00:00Z", "UTC", "2026-02-28T18:00:00Z"],
  // Clocks went back in the night: the day before had the other offset.
  ["2026-10-25T12:00:00+01:00", "Europe/Berlin", "2026-10-24T16:00:00Z"],
])("last night at %s in %s began at %s", (now, zone, want) => {
  expect(sinceText(undefined, at(now), zone)).toBe(want);
  expect(sinceText("night", at(now), zone)).toBe(want);
  expect(sinceText("nonsense", at(now), zone)).toBe(want);
});

test("other choices", () => {
  const now = at("2026-11-24T03:00:00Z");
  expect(sinceAt("1h", now, "UTC")).toBe(at("2026-11-24T02:00:00Z"));
  expect(sinceAt("24h", now, "UTC")).toBe(at("2026-11-23T03:00:00Z"));
  expect(sinceAt("7d", now, "UTC")).toBe(at("2026-11-17T03:00:00Z"));
  expect(sinceAt("2026-11-01T00:00:00+09:00", now, "UTC")).toBe(at("2026-10-31T15:00:00Z"));
  expect([choiceOf(undefined), choiceOf("7d"), choiceOf("2026-11-01T00:00:00Z"), choiceOf("x")]).toEqual([
    "night",
    "7d",
    undefined,
    "night",
  ]);
});

test("the overview is read again when something may become late", () => {
  const now = at("2026-11-24T03:00:00Z");
  const upcoming = (runTime: string) => ({ runTime }) as never;
  const running = (p90At: string, late: boolean) => ({ estimate: { p90At, late } }) as never;
  expect(changesIn({ upcoming: [], running: [] }, now)).toBe(3_600_000);
  expect(changesIn({ upcoming: [upcoming("2026-11-24T03:10:00Z")], running: [] }, now)).toBe(662_000);
  expect(changesIn({ upcoming: [upcoming("2026-11-24T02:59:00Z")], running: [running("2026-11-24T03:05:00Z", false)] }, now)).toBe(5000);
  expect(changesIn({ upcoming: [], running: [running("2026-11-24T03:05:00Z", true)] }, now)).toBe(3_600_000);
});

test("lines of output are text alone", () => {
  expect(plainLine("\u001b[31mfailed\u001b[0m at 12")).toBe("failed at 12");
  expect(plainLine("user\u202egpj.exe")).toBe("user\ufffdgpj.exe");
  expect(plainLine("失敗しました")).toBe("失敗しました");
});
