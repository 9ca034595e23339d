/**
 * Reads lines of terminal output: colours become numbers that style sheets know, "\r" leaves the last version of a line, and
 * everything else that would steer a terminal is dropped or shown as a mark. The result is text and numbers, never HTML.
 * Each line takes time in proportion to its length.
 */
export interface Style {
  readonly ink: number; // 0 to 15, or -1
  readonly ground: number;
  readonly flags: number;
}

export const bold = 1;
export const dim = 2;
export const italic = 4;
export const underline = 8;
export const inverse = 16;
export const struck = 32;

export interface Segment extends Style {
  readonly text: string;
}

export interface TerminalLine {
  readonly segments: readonly Segment[];
  readonly updates: number; // versions that "\r" has replaced
  readonly style: Style; // at its end, with which the next line begins
}

export const plain: Style = { ink: -1, ground: -1, flags: 0 };

const escapeCode = 0x1b;
// Marks that change the direction of text could make a line look like another one.
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const isControl = (code: number) => (code < 0x20 && code !== 0x09) || (code >= 0x7f && code < 0xa0);

/** What stands for a control character. */
function markOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `⟨${code.toString(16).toUpperCase()}⟩`;
}

const shown = (text: string) => text.replace(bidi, (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/** Reads one line, which has no "\n". */
export function readLine(text: string, begin: Style = plain): TerminalLine {
  let style = begin;
  let segments: Segment[] = [];
  let last: Segment[] = []; // the version before the present one
  let updates = 0;
  let from = 0;
  let ended = true; // whether a string sequence may still find its end
  const take = (to: number) => {
    if (to > from) push(segments, shown(text.slice(from, to)), style);
  };
  let i = 0;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (!isControl(code)) {
      i++;
      continue;
    }
    take(i);
    if (code === 0x0d) {
      i++;
      if (segments.length > 0) {
        if (i < text.length) updates++;
        last = segments;
        segments = [];
      }
    } else if (code === escapeCode || code === 0x9b) {
      const found: Found = sequenceAt(text, i, ended);
      if (found.unended) ended = false;
      if (found.length === 0) {
        push(segments, markOf(code), style);
        i++;
      } else {
        if (found.colours !== undefined) style = styleAfter(style, found.colours);
        i += found.length;
      }
    } else {
      if (code !== 0x07 && code !== 0x08 && code !== 0x0e && code !== 0x0f) push(segments, markOf(code), style);
      i++;
    }
    from = i;
  }
  take(text.length);
  return { segments: segments.length > 0 ? segments : last, updates, style };
}

function push(segments: Segment[], text: string, style: Style): void {
  const before = segments.at(-1);
  if (before && before.ink === style.ink && before.ground === style.ground && before.flags === style.flags) {
    segments[segments.length - 1] = { ...before, text: before.text + text };
  } else {
    segments.push({ ...style, text });
  }
}

interface Found {
  readonly length: number; // zero if there is no whole sequence
  readonly colours?: string; // of a sequence that sets colours
  readonly unended?: boolean; // nothing behind it ends a string
}

const longest = 256; // characters of a sequence with numbers; real ones have some dozens

/** Finds the sequence at an escapeCode character. */
function sequenceAt(text: string, at: number, mayEnd: boolean): Found {
  const single = text.charCodeAt(at) === 0x9b;
  const kind = single ? "[" : (text[at + 1] ?? "");
  let i = at + (single ? 1 : 2);
  if (kind === "[") {
    const first = i;
    while (i < text.length && i - first < longest && inRange(text.charCodeAt(i), 0x20, 0x3f)) i++;
    if (!inRange(text.charCodeAt(i), 0x40, 0x7e)) return { length: 0 };
    const numbers = text.slice(first, i);
    return text[i] === "m" && /^[\d;:]*$/.test(numbers) ? { length: i + 1 - at, colours: numbers } : { length: i + 1 - at };
  }
  if (kind !== "" && "]P^_X".includes(kind)) {
    if (!mayEnd) return { length: 0 };
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0x07 || code === 0x9c) return { length: i + 1 - at };
      if (code === escapeCode) return text[i + 1] === "\\" ? { length: i + 2 - at } : { length: i - at };
    }
    return { length: 0, unended: true };
  }
  let end = at + 1;
  while (end - at < 4 && inRange(text.charCodeAt(end), 0x20, 0x2f)) end++;
  return inRange(text.charCodeAt(end), 0x30, 0x7e) ? { length: end + 1 - at } : { length: 0 };
}

function inRange(code: number, low: number, high: number): boolean {
  return code >= low && code <= high; // not for NaN
}

const setters: Readonly<Record<number, number>> = { 1: bold, 2: dim, 3: italic, 4: underline, 7: inverse, 9: struck };
const clearers: Readonly<Record<number, number>> = { 21: bold, 22: bold | dim, 23: italic, 24: underline, 27: inverse, 29: struck };

function styleAfter(style: Style, numbers: string): Style {
  let { ink, ground, flags } = style;
  const list = numbers.split(/[;:]/).map((text) => (text === "" ? 0 : Number(text)));
  for (let i = 0; i < list.length; i++) {
    const n = list[i] ?? 0;
    if (n === 0) {
      ink = ground = -1;
      flags = 0;
    } else if (n === 38 || n === 48) {
      const [colour, used] = colourAt(list, i + 1);
      if (n === 38) ink = colour;
      else ground = colour;
      i += used;
    } else if (n === 39) ink = -1;
    else if (n === 49) ground = -1;
    else if (inRange(n, 30, 37)) ink = n - 30;
    else if (inRange(n, 40, 47)) ground = n - 40;
    else if (inRange(n, 90, 97)) ink = n - 82;
    else if (inRange(n, 100, 107)) ground = n - 92;
    else flags = (flags | (setters[n] ?? 0)) & ~(clearers[n] ?? 0);
  }
  return { ink, ground, flags };
}

/** Reads a colour of 256, or one of three parts, as the nearest of the 16 that are readable in both themes. */
function colourAt(list: readonly number[], at: number): [colour: number, used: number] {
  if (list[at] === 5) return [nearestOf256(list[at + 1] ?? 0), 2];
  if (list[at] === 2) return [nearest(list[at + 1] ?? 0, list[at + 2] ?? 0, list[at + 3] ?? 0), 4];
  return [-1, list.length];
}

function nearestOf256(n: number): number {
  if (n < 16) return n;
  if (n >= 232) return nearest(8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10);
  const part = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  return nearest(part(Math.floor((n - 16) / 36)), part(Math.floor((n - 16) / 6) % 6), part((n - 16) % 6));
}

const byHue = [1, 3, 2, 6, 4, 5]; // red, yellow, green, cyan, blue, magenta

function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range < 40) return most < 64 ? 0 : most < 144 ? 8 : most < 224 ? 7 : 15;
  let hue: number;
  if (most === red) hue = (green - blue) / range;
  else if (most === green) hue = 2 + (blue - red) / range;
  else hue = 4 + (red - green) / range;
  return (byHue[(Math.round(hue) + 6) % 6] ?? 1) + (most > 200 ? 8 : 0);
}
