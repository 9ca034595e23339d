import { wallOf } from "./format";

const pattern = /^(\d{4})-(\d\d?)-(\d\d?)(?:[ T](\d\d?):(\d\d)(?::(\d\d))?)?$/;
const day = 86_400_000;

/** A wall time, as 2026-03-29 02:30, as if its zone were UTC. Undefined for a text that is no wall time. */
function wallMs(text: string): number | undefined {
  const found = pattern.exec(text.trim());
  if (!found) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const ms = Date.UTC(year, month - 1, date, hour, minute, second);
  const shown = new Date(ms);
  if (shown.getUTCMonth() !== month - 1 || shown.getUTCDate() !== date || hour > 23 || minute > 59 || second > 59) return undefined;
  return ms;
}

/** How far clocks in a zone are ahead of UTC, in milliseconds. */
function offsetAt(ms: number, zone: string): number {
  const wall = wallOf(ms, zone);
  return Date.parse(`${wall.date}T${wall.time}Z`) - Math.floor(ms / 1000) * 1000;
}

/**
 * The instants at which clocks in a zone show a wall time. There is none in the hour that clocks leave out in spring, and there are
 * two in the hour that they repeat in autumn.
 */
export function instantsOf(text: string, zone: string): readonly number[] | undefined {
  const wanted = wallMs(text);
  if (wanted === undefined) return undefined;
  const instants = new Set<number>();
  for (const near of [wanted - day, wanted, wanted + day]) {
    const instant = wanted - offsetAt(near, zone);
    if (wanted - instant === offsetAt(instant, zone)) instants.add(instant);
  }
  return [...instants].sort((a, b) => a - b);
}

export interface Taken {
  readonly ms: number;
  readonly note?: string; // what a change of the clock means for it
}

/** The instant that a wall time is taken for: in a repeated hour its first turn, in an hour that is left out as much later. */
export function takenInstant(text: string, zone: string): Taken | undefined {
  const wanted = wallMs(text);
  const instants = instantsOf(text, zone);
  if (wanted === undefined || !instants) return undefined;
  const [first] = instants;
  if (first === undefined) {
    const ms = wanted - offsetAt(wanted - day, zone);
    return { ms, note: "Clocks leave this time out on that day; as much later is taken." };
  }
  return instants.length > 1 ? { ms: first, note: "Clocks show this time twice on that day; the first one is taken." } : { ms: first };
}

/** An instant as the server takes it: whole seconds in UTC. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
