import { plain, readLine, type Segment, type Style } from "./ansi";
import type { LogLine, Piece } from "./lines";

/** A row of the log on the screen: a line, or a part of one that is wrapped. */
export interface LogRow {
  readonly line: LogLine;
  readonly number: number;
  readonly segments: readonly Segment[];
  readonly part: number; // of its line, from 0
  readonly updates: number;
  readonly level: "error" | "warn" | "debug" | undefined;
  readonly cut: number; // characters of the line that are not shown
}

const longest = 8 << 10; // characters of a line that are shown unless asked for

const levels = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[\d.,]*(?: ?(?:Z|[+-]\d\d:?\d\d))? \[?(ERROR|FATAL|WARN|WARNING|DEBUG|TRACE)\b/;

function levelOf(text: string): LogRow["level"] {
  const word = levels.exec(text.slice(0, 64))?.[1];
  if (word === undefined) return undefined;
  if (word === "ERROR" || word === "FATAL") return "error";
  return word.startsWith("WARN") ? "warn" : "debug";
}

/** The rows of pieces that follow each other. Each piece is laid out once for a width, as long as what is before it stays. */
export class LogLayout {
  private readonly known = new WeakMap<Piece, { columns: number; long: number; style: Style; rows: readonly LogRow[]; end: Style }>();

  rows(pieces: readonly Piece[], columns: number, long: ReadonlySet<number>): readonly LogRow[] {
    let style = plain;
    const parts: (readonly LogRow[])[] = [];
    for (const piece of pieces) {
      let laid = this.known.get(piece);
      if (!laid || laid.columns !== columns || laid.long !== long.size || !sameStyle(laid.style, style)) {
        laid = { columns, long: long.size, style, ...layOut(piece, columns, long, style) };
        this.known.set(piece, laid);
      }
      parts.push(laid.rows);
      style = laid.end;
    }
    return parts.length === 1 ? (parts[0] ?? []) : parts.flat();
  }
}

function sameStyle(a: Style, b: Style): boolean {
  return a.ink === b.ink && a.ground === b.ground && a.flags === b.flags;
}

/** Lays out a piece. `columns` is how many characters fit into a row, or 0 if lines are not wrapped. */
export function layOut(piece: Piece, columns: number, long: ReadonlySet<number>, begin: Style): { rows: LogRow[]; end: Style } {
  const rows: LogRow[] = [];
  let style = begin;
  let number = piece.firstLine;
  for (const line of piece.lines) {
    const cut = long.has(line.offset) ? 0 : Math.max(0, line.text.length - longest);
    const read = readLine(cut > 0 ? line.text.slice(0, longest) : line.text, style);
    style = read.style;
    const parts = columns > 0 ? wrapped(read.segments, columns) : [read.segments];
    parts.forEach((segments, part) => {
      rows.push({
        line,
        number,
        segments,
        part,
        updates: part === 0 ? read.updates : 0,
        level: levelOf(line.text),
        cut: part === parts.length - 1 ? cut : 0,
      });
    });
    number++;
  }
  return { rows, end: style };
}

// Characters that take two columns: those of East Asia, and pictures.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\ud83c-\ud83e][\udc00-\udfff]/;

/** Breaks a line into rows of so many columns. */
export function wrapped(segments: readonly Segment[], columns: number): (readonly Segment[])[] {
  const rows: Segment[][] = [[]];
  let used = 0;
  for (const segment of segments) {
    let from = 0;
    let at = 0;
    for (const character of segment.text) {
      const width = character === "\t" ? 8 - (used % 8) : wide.test(character) ? 2 : 1;
      if (used + width > columns && used > 0) {
        if (at > from) rows.at(-1)?.push({ ...segment, text: segment.text.slice(from, at) });
        rows.push([]);
        from = at;
        used = 0;
      }
      used += width;
      at += character.length;
    }
    if (at > from) rows.at(-1)?.push({ ...segment, text: segment.text.slice(from, at) });
  }
  return rows;
}
