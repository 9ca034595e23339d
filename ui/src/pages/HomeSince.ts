import type { Overview } from "../api/overview";
import { wallOf } from "../time/format";
import { instantText, takenInstant } from "../time/instants";

/** Since when failures are shown, as the address says it. Last night is not written there. */
export const sinceChoices = { "1h": "1 h", night: "Last night 18:00", "24h": "24 h", "7d": "7 days" } as const;

export type SinceChoice = keyof typeof sinceChoices;

const hour = 3_600_000;
const day = 24 * hour;
const lengths: Readonly<Record<string, number>> = { "1h": hour, "24h": day, "7d": 7 * day };

/** The instant that a choice stands for now: one of sinceChoices, or an instant itself. Anything else is taken as last night. */
export function sinceAt(choice: string | undefined, now: number, zone: string): number {
  const length = lengths[choice ?? ""];
  if (length !== undefined) return now - length;
  const instant = choice?.includes("T") ? Date.parse(choice) : Number.NaN;
  if (!Number.isNaN(instant)) return instant;
  // 18:00 of the day before: the whole of the last night, whether that goes on or is over.
  const before = new Date(Date.parse(`${wallOf(now, zone).date}T00:00Z`) - day).toISOString().slice(0, 10);
  return takenInstant(`${before} 18:00`, zone)?.ms ?? now - day;
}

/** The choice of an address, or nothing if the address has an instant of its own. */
export function choiceOf(since: string | undefined): SinceChoice | undefined {
  if (since === undefined) return "night";
  if (since in sinceChoices) return since as SinceChoice;
  return Number.isNaN(Date.parse(since)) ? "night" : undefined;
}

/** The same as text for the server. */
export function sinceText(choice: string | undefined, now: number, zone: string): string {
  return instantText(sinceAt(choice, now, zone));
}

const soonest = 5000;
const latest = hour;

/**
 * How many milliseconds from now the overview changes without an event: a session that did not start becomes late a minute after it
 * is due, and an attempt when it runs longer than nine in ten.
 */
export function changesIn(overview: Pick<Overview, "upcoming" | "running">, now: number): number {
  const moments = [
    ...overview.upcoming.map((item) => Date.parse(item.runTime) + 62_000),
    ...overview.running.flatMap((item) => (item.estimate && !item.estimate.late ? [Date.parse(item.estimate.p90At) + 1000] : [])),
  ].filter((at) => at > now);
  return Math.min(latest, Math.max(soonest, Math.min(...moments) - now));
}

const introducer = String.fromCharCode(27);
const colours = new RegExp(`${introducer}\\[[0-9;?]*[A-Za-z]`, "g");

/** A line of output without its colours. Characters that turn the direction of text around are shown as a mark. */
export function plainLine(line: string): string {
  return line.replace(colours, "").replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
