const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const two = (n: number) => String(n).padStart(2, "0");

/** A length of time: 840 ms, 12.4 s, 3 min 05 s, 2 h 10 min, 3 d 4 h. Units go over before they are full: 59.96 s is 1 min 00 s. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < second - 0.5) return `${Math.round(ms)} ms`;
  if (ms < minute - 50) return `${(ms / second).toFixed(1)} s`;
  if (ms < hour - second / 2) {
    const s = Math.round(ms / second);
    return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  }
  if (ms < day - minute / 2) {
    const m = Math.round(ms / minute);
    return `${Math.floor(m / 60)} h ${two(m % 60)} min`;
  }
  const h = Math.round(ms / hour);
  return `${Math.floor(h / 24)} d ${h % 24} h`;
}

/** The length of something that goes on: without parts that change faster than it is painted. */
export function elapsed(ms: number): string {
  return ms < minute ? `${Math.max(0, Math.floor(ms / second))} s` : duration(Math.floor(ms / second) * second);
}

/** An age in one unit: 4 min ago, in 2 h, now. */
export function age(ms: number): string {
  const length = Math.abs(ms);
  if (length < 5 * second) return "now";
  let words: string;
  if (length < minute) words = `${Math.round(length / second)} s`;
  else if (length < hour) words = `${Math.floor(length / minute)} min`;
  else if (length < day) words = `${Math.floor(length / hour)} h`;
  else words = `${Math.floor(length / day)} d`;
  return ms < 0 ? `in ${words}` : `${words} ago`;
}
