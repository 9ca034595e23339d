import { expect, test } from "vitest";
import { bold, inverse, plain, readLine, underline } from "./ansi";

const textOf = (line: string) =>
  readLine(line)
    .segments.map((segment) => segment.text)
    .join("");

test("colours become numbers, and go on in the next line", () => {
  const line = readLine("\x1b[32mconnected\x1b[0m to \x1b[1;4mwarehouse");
  expect(line.segments).toEqual([
    { text: "connected", ink: 2, ground: -1, flags: 0 },
    { text: " to ", ...plain },
    { text: "warehouse", ink: -1, ground: -1, flags: bold | underline },
  ]);
  expect(readLine("on", line.style).segments[0]?.flags).toBe(bold | underline);
  expect(readLine("\x1b[91;7mx").segments[0]).toEqual({ text: "x", ink: 9, ground: -1, flags: inverse });
  expect(readLine("\x1b[38;5;196mx").segments[0]?.ink).toBe(9);
  expect(readLine("\x1b[38;2;0;90;0mx").segments[0]?.ink).toBe(2);
  expect(readLine("\x1b[38:5:21;1mx").segments[0]).toEqual({ text: "x", ink: 12, ground: -1, flags: bold });
});

test("progress lines leave their last version", () => {
  const line = readLine("\r1 %\r2 %\r100 %");
  expect(line.segments.map((segment) => segment.text)).toEqual(["100 %"]);
  expect(line.updates).toBe(2);
  expect(textOf("all\r")).toBe("all");
  expect(readLine("all\r").updates).toBe(0);
});

test("other sequences are dropped, and what could deceive is shown as a mark", () => {
  expect(textOf("a\x1b[2Kb\x1b[10;20Hc\x1b(Bd\x1b]0;title\x07e")).toBe("abcde");
  expect(textOf("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\")).toBe("link");
  expect(textOf("a\x00b\x7fc")).toBe("a␀b␡c");
  expect(textOf("user\u202etxt.exe")).toBe("user⟨U+202E⟩txt.exe");
  expect(textOf("\x1b]no end of this")).toBe("␛]no end of this");
  expect(textOf("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>");
  expect(textOf("tab\there")).toBe("tab\there");
});

test("no input breaks it, nothing that steers is left, and plain text stays", () => {
  let seed = 7;
  const random = (n: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed % n;
  };
  const parts = [
    "\x1b",
    "[",
    "]",
    "m",
    "31",
    ";",
    "\r",
    "\x07",
    "\\",
    "P",
    "\x9b",
    "\u202e",
    "a",
    "日",
    "\ud83d",
    "38;5;",
    ":",
    "(",
    "\x00",
    " ",
  ];
  for (let round = 0; round < 5_000; round++) {
    const text = Array.from({ length: random(24) }, () => parts[random(parts.length)]).join("");
    const line = readLine(text);
    for (const segment of line.segments) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the test
      expect(segment.text).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      expect(segment.ink).toBeGreaterThanOrEqual(-1);
      expect(segment.ink).toBeLessThan(16);
      expect(segment.ground).toBeLessThan(16);
    }
  }
});

test("time grows with the length alone", () => {
  const time = (text: string) => {
    const began = performance.now();
    readLine(text);
    return performance.now() - began;
  };
  for (const part of ["\x1b]", "\x1b[", "\x1b[1;", "\x1bP\x1b", "\r", "a\r", "\x1b[31m", "\x00", "\u202e", "\x1b[999999999m"]) {
    time(part.repeat(1_000));
    const short = Math.max(2, time(part.repeat(5_000)));
    // The best of three: other work on the machine only adds time.
    const long = Math.min(...[1, 2, 3].map(() => time(part.repeat(50_000))));
    expect(long, JSON.stringify(part)).toBeLessThan(short * 60);
  }
}, 20_000);
