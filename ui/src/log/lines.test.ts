import { expect, test } from "vitest";
import { emptyWindow, endOf, join, type LogWindow, lineAt, readPiece, startOf } from "./lines";

const encode = (text: string) => new TextEncoder().encode(text);

test("lines have the offsets of their bytes, whatever is in them", () => {
  const text = "eins\n日本語\r\n\nlast";
  const piece = readPiece(encode(text), 100, 7);
  expect(piece.lines.map((line) => [line.offset, line.end, line.text])).toEqual([
    [100, 105, "eins"],
    [105, 116, "日本語"],
    [116, 117, ""],
    [117, 121, "last"],
  ]);
  expect(piece.end).toBe(121);
  const broken = readPiece(new Uint8Array([0xff, 0xfe, 10, 0xe6, 10, 65]), 0, 1);
  expect(broken.lines.map((line) => line.end)).toEqual([3, 5, 6]);
  expect(lineAt(piece.lines, 104)).toBe(0);
  expect(lineAt(piece.lines, 105)).toBe(1);
  expect(lineAt(piece.lines, 9999)).toBe(3);
});

test("pieces that are read in any order show what the log has there", () => {
  const text = Array.from({ length: 4000 }, (_, i) => `line ${i} ${"x".repeat(i % 50)}\n`).join("");
  const bytes = encode(text);
  const whole = readPiece(bytes, 0, 1);
  let seed = 11;
  const random = (n: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
  };
  let window: LogWindow = emptyWindow;
  for (let round = 0; round < 2000; round++) {
    const from = [endOf(window), Math.max(0, startOf(window) - random(5000)), random(bytes.length)][random(3)] ?? 0;
    const first = lineAt(whole.lines, from);
    const last = Math.min(whole.lines.length - 1, first + random(60));
    const begin = whole.lines[first]?.offset ?? 0;
    const end = whole.lines[last]?.end ?? 0;
    window = join(window, readPiece(bytes.subarray(begin, end), begin, first + 1));
    for (const piece of window.pieces) {
      const line = piece.lines[0];
      expect(whole.lines[piece.firstLine - 1]).toEqual(line);
    }
    window.pieces.forEach((piece, i) => {
      if (i > 0) expect(piece.start).toBe(window.pieces[i - 1]?.end);
    });
  }
});

test("a window does not grow without end", () => {
  let window: LogWindow = emptyWindow;
  const size = 256 << 10;
  const bytes = encode(`${"y".repeat(1023)}\n`.repeat(256));
  for (let i = 0; i < 40; i++) window = join(window, readPiece(bytes, i * size, i * 256 + 1));
  expect(endOf(window)).toBe(40 * size);
  expect(endOf(window) - startOf(window)).toBeLessThanOrEqual(4 << 20);
  const before = startOf(window) - size;
  window = join(window, readPiece(bytes, before, before / 1024 + 1));
  expect(startOf(window)).toBe(before);
  expect(endOf(window) - before).toBeLessThanOrEqual(4 << 20);
});

test("a line without its end is replaced by the whole one", () => {
  let window = join(emptyWindow, readPiece(encode("one\ntw"), 0, 1));
  window = join(window, readPiece(encode("two\nthree\n"), 4, 2));
  expect(window.pieces.flatMap((piece) => piece.lines.map((line) => line.text))).toEqual(["one", "two", "three"]);
  window = join(join(emptyWindow, readPiece(encode("tw"), 0, 1)), readPiece(encode("two\n"), 0, 1));
  expect(window.pieces.flatMap((piece) => piece.lines.map((line) => line.text))).toEqual(["two"]);
});
