/** Which zone wall times are shown in. */
export type ZoneChoice = "workflow" | "local" | "utc";

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formats.set(zone, format);
  }
  return format;
}

export interface Wall {
  readonly date: string; // 2026-11-21
  readonly time: string; // 03:00:05
  readonly offset: string; // +09:00
}

/** What clocks in a zone show at an instant. An unknown zone is taken as UTC. */
export function wallOf(ms: number, zone: string): Wall {
  if (Number.isNaN(ms)) return { date: "–", time: "", offset: "" };
  const fixed = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (fixed) {
    const minutes = (Number(fixed[2]) * 60 + Number(fixed[3])) * (fixed[1] === "-" ? -1 : 1);
    return { ...wallOf(ms + minutes * 60_000, "UTC"), offset: offsetText(minutes) };
  }
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = formatOf(zone).formatToParts(ms);
  } catch {
    return wallOf(ms, "UTC");
  }
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? "";
  const year = part("year").padStart(4, "0");
  const time = `${part("hour")}:${part("minute")}:${part("second")}`;
  const date = `${year}-${part("month")}-${part("day")}`;
  const shown = Date.parse(`${date}T${time}Z`);
  return { date, time, offset: offsetText(Math.round((shown - Math.floor(ms / 1000) * 1000) / 60000)) };
}

/** An offset in minutes as +09:00. */
export function offsetText(minutes: number): string {
  const length = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${String(Math.floor(length / 60)).padStart(2, "0")}:${String(length % 60).padStart(2, "0")}`;
}

export const localZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The name of the zone that a choice stands for. */
export function zoneOf(choice: ZoneChoice, workflow: string | undefined): string {
  if (choice === "utc") return "UTC";
  if (choice === "workflow" && workflow) return workflow;
  return localZone;
}

/** A wall time with its offset: 2026-11-21 03:00:05 +09:00. */
export function wallText(ms: number, zone: string): string {
  const wall = wallOf(ms, zone);
  return `${wall.date} ${wall.time} ${zone === "UTC" ? "UTC" : wall.offset}`;
}

const sessionPattern = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/**
 * A session time, which is a name and no moment, as it is written: 2026-11-21 00:00 +09:00. Seconds are left out where there are
 * none.
 */
export function sessionText(iso: string): string {
  const found = sessionPattern.exec(iso);
  if (!found) return iso;
  const [, date, time, seconds, offset] = found;
  return `${date} ${time}${seconds && seconds !== "00" ? `:${seconds}` : ""} ${offset === "Z" ? "+00:00" : offset}`;
}

/** The offset of a session time as a zone, where the zone of its workflow is not known. */
export function zoneOfSession(iso: string): string {
  const offset = sessionPattern.exec(iso)?.[4];
  return offset === undefined || offset === "Z" || offset === "+00:00" ? "UTC" : offset;
}

/** A session time that came in UTC, in the zone of its workflow. */
export function sessionIn(iso: string, zone: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  const wall = wallOf(ms, zone);
  return `${wall.date} ${wall.time.endsWith(":00") ? wall.time.slice(0, 5) : wall.time} ${wall.offset}`;
}
