/** Something that begins at an instant and takes a while, as a bar of a strip. */
export interface Span {
  readonly at: number;
  readonly length: number; // 0 if it is not known
}

export interface Bar {
  readonly left: number; // percent of the strip
  readonly width: number; // percent; it ends with the strip
  readonly lane: number;
}

/**
 * Places bars in lanes so that none covers another: each in the first lane that is free, in the order of their beginnings. `least` is
 * the percentage that a bar takes at least.
 */
export function barsOf(spans: readonly Span[], from: number, to: number, least: number): { bars: readonly Bar[]; lanes: number } {
  const ends: number[] = []; // of the last bar of each lane, in percent
  const bars: Bar[] = new Array(spans.length);
  const order = spans.map((_, i) => i).sort((a, b) => (spans[a]?.at ?? 0) - (spans[b]?.at ?? 0) || a - b);
  for (const i of order) {
    const span = spans[i];
    if (!span) continue;
    const place = ((span.at - from) / (to - from)) * 100;
    const left = Math.min(Math.max(0, place), 100 - least);
    const width = Math.min(Math.max(least, (span.length / (to - from)) * 100), 100 - left);
    let lane = ends.findIndex((end) => end <= left);
    if (lane < 0) lane = ends.length;
    ends[lane] = left + width;
    bars[i] = { left, width, lane };
  }
  return { bars, lanes: ends.length };
}
