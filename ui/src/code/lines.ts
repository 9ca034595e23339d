/** Lines of a file, from 1, both ends among them. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** Reads lines of an address: 10 or 10-20. */
export function readLines(text: string | undefined): Lines | undefined {
  const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text ?? "");
  if (!found) return undefined;
  const first = Number(found[1]);
  const second = found[2] === undefined ? first : Number(found[2]);
  if (first < 1 || second < 1) return undefined;
  return { from: Math.min(first, second), to: Math.max(first, second) };
}

export function writeLines(lines: Lines): string {
  return lines.from === lines.to ? String(lines.from) : `${lines.from}-${lines.to}`;
}

/** What is chosen by a press on a line: that line, up to it from what is chosen already, or nothing if it was chosen alone. */
export function pressLine(chosen: Lines | undefined, line: number, extend: boolean): Lines | undefined {
  if (extend && chosen) return { from: Math.min(chosen.from, line), to: Math.max(chosen.from, line) };
  return chosen?.from === line && chosen.to === line ? undefined : { from: line, to: line };
}
