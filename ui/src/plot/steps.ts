/** One step of a history; steps may be missing. */
export interface Step {
  readonly at: number; // its beginning, in milliseconds
  readonly value: number;
}

export interface Box {
  readonly from: number; // milliseconds at the left edge
  readonly to: number;
  readonly top: number; // value at the upper edge
  readonly width: number;
  readonly height: number;
}

/** Rounds up to a number that is easy to read on an axis, and has a half. */
export function niceTop(value: number): number {
  if (!(value > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  for (const factor of [1, 2, 4, 6, 8, 10]) if (factor * unit >= value) return factor * unit;
  return 10 * unit;
}

const round = (n: number) => Math.round(n * 100) / 100;

/** The path of an area of steps. Where steps are missing there is nothing. */
export function areaOf(steps: readonly Step[], length: number, box: Box): string {
  const x = (ms: number) => round((Math.min(Math.max(ms, box.from), box.to) - box.from) * (box.width / (box.to - box.from)));
  const y = (value: number) => round(box.height - (Math.min(Math.max(value, 0), box.top) / box.top) * box.height);
  let path = "";
  let end = Number.NaN;
  for (const step of steps) {
    if (step.at + length <= box.from || step.at >= box.to) continue;
    if (step.at !== end) path += `${path === "" ? "" : `V${box.height}Z`}M${x(step.at)} ${box.height}`;
    end = step.at + length;
    path += `V${y(step.value)}H${x(end)}`;
  }
  return path === "" ? "" : `${path}V${box.height}Z`;
}
