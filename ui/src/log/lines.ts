/** A line of a log, with its place in the whole text. */
export interface LogLine {
  readonly offset: number; // bytes before it
  readonly end: number; // bytes with it and its line end
  readonly text: string;
}

/** A part of a log that was read: whole lines. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly firstLine: number; // number of its first line, from 1
  readonly lines: readonly LogLine[];
}

/** The part of a log that is in memory: pieces in a row, without gaps. */
export interface LogWindow {
  readonly pieces: readonly Piece[];
}

export const emptyWindow: LogWindow = { pieces: [] };

const most = 4 << 20; // bytes in memory

export const startOf = (window: LogWindow): number => window.pieces[0]?.start ?? 0;
export const endOf = (window: LogWindow): number => window.pieces.at(-1)?.end ?? 0;

/** Reads the bytes of a piece. Bytes that are no UTF-8 become marks, and never move what follows. */
export function readPiece(bytes: Uint8Array, start: number, firstLine: number): Piece {
  const decoder = new TextDecoder();
  const lines: LogLine[] = [];
  let from = 0;
  while (from < bytes.length) {
    const at = bytes.indexOf(10, from);
    const end = at < 0 ? bytes.length : at + 1;
    const last = at < 0 ? end : at > from && bytes[at - 1] === 13 ? at - 1 : at;
    lines.push({ offset: start + from, end: start + end, text: decoder.decode(bytes.subarray(from, last)) });
    from = end;
  }
  return { start, end: start + bytes.length, firstLine, lines };
}

/** Adds a piece at the end or before the beginning. One that does not fit there takes the place of all. */
export function join(window: LogWindow, piece: Piece): LogWindow {
  if (piece.lines.length === 0) return window;
  if (window.pieces.length === 0) return { pieces: [piece] };
  if (piece.start === endOf(window)) return { pieces: trimmed([...window.pieces, piece], "front") };
  const last = window.pieces.at(-1);
  const open = last?.lines.at(-1); // a line whose end was not written yet comes again
  if (last && open?.offset === piece.start && open.end === endOf(window)) {
    const left = { ...last, end: piece.start, lines: last.lines.slice(0, -1) };
    const before = window.pieces.slice(0, -1);
    return { pieces: trimmed(left.lines.length > 0 ? [...before, left, piece] : [...before, piece], "front") };
  }
  const start = startOf(window);
  if (piece.start < start && piece.end >= start) {
    const lines = piece.lines.filter((line) => line.end <= start);
    if (lines.at(-1)?.end === start) return { pieces: trimmed([{ ...piece, end: start, lines }, ...window.pieces], "back") };
  }
  return { pieces: [piece] };
}

/** Forgets what is farthest away, so that memory has an end. */
function trimmed(pieces: Piece[], where: "front" | "back"): Piece[] {
  const size = () => (pieces.at(-1)?.end ?? 0) - (pieces[0]?.start ?? 0);
  while (pieces.length > 1 && size() > most) {
    if (where === "front") pieces.shift();
    else pieces.pop();
  }
  return pieces;
}

/** The line that has a byte, among lines in their order. */
export function lineAt(lines: readonly LogLine[], offset: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.offset ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
