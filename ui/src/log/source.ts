import { getBytes, type Query } from "../api/call";
import { emptyWindow, endOf, join, type LogWindow, readPiece, startOf } from "./lines";

const readAtOnce = 256 << 10; // bytes
const slack = 64 << 10; // the line that has a byte may begin that much before it
const besides = 32 << 10; // bytes that are read before the place where a log is opened

/** Where to begin to look at a log. */
export type LogPlace =
  | { readonly at: "error" }
  | { readonly at: "start" }
  | { readonly at: "end" }
  | { readonly at: "line"; readonly line: number }
  | { readonly at: "offset"; readonly offset: number };

/** What is known of a log. */
export interface LogState {
  readonly window: LogWindow;
  readonly size: number; // bytes of the whole log
  readonly done: boolean; // nothing more will come
  readonly errorLine: number | undefined; // its number, if the log was opened there
  readonly error: unknown;
  readonly opened: LogPlace | undefined; // where the window was opened last
  readonly openings: number; // how often it was opened
}

const begin: LogState = {
  window: emptyWindow,
  size: 0,
  done: false,
  errorLine: undefined,
  error: undefined,
  opened: undefined,
  openings: 0,
};

/** Reads the log of a task, or of one of its tries, by pieces. */
export class LogSource {
  private readonly path: string;
  private readonly query: Query;
  private readonly control = new AbortController();
  private readonly listeners = new Set<() => void>();
  private busy: Promise<void> = Promise.resolve();
  private now: LogState = begin;

  constructor(attempt: string, task: string, tryNumber: number | undefined) {
    this.path = `api/attempts/${encodeURIComponent(attempt)}/log`;
    this.query = { task, try: tryNumber };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly state = (): LogState => this.now;

  /** Ends all reading. */
  close(): void {
    this.control.abort();
  }

  /** Begins anew at a place. */
  open(place: LogPlace): Promise<void> {
    return this.turn(() => this.openNow(place));
  }

  private async openNow(place: LogPlace): Promise<void> {
    const ask = questionFor(place);
    const { piece, head } = await this.read(ask);
    // A place in the middle is shown with what is before it, so that it does not move when that is read.
    const start = piece.start;
    const from = Math.max(0, start - besides);
    const before = start > 0 && place.at !== "start" ? (await this.read({ from, limit: start - from + slack })).piece : undefined;
    const window = join(emptyWindow, piece);
    this.set({
      ...this.now,
      ...head,
      window: before && before.end >= start ? join(window, before) : window,
      opened: place,
      openings: this.now.openings + 1,
      error: undefined,
    });
  }

  /** Reads what lies before the window. */
  before(): Promise<void> {
    return this.turn(() => this.beforeNow());
  }

  private async beforeNow(): Promise<void> {
    const start = startOf(this.now.window);
    if (start <= 0) return;
    const from = Math.max(0, start - readAtOnce);
    const { piece, head } = await this.read({ from, limit: start - from + slack });
    if (startOf(this.now.window) === start && piece.end >= start) this.set({ ...this.now, ...head, window: join(this.now.window, piece) });
  }

  /** Reads what lies behind the window. Reports through the state. */
  after(): Promise<void> {
    return this.turn(async () => {
      const end = endOf(this.now.window);
      if (end >= this.now.size && this.now.done) return;
      const { piece, head } = await this.read({ from: end });
      if (endOf(this.now.window) === end && piece.start <= end && piece.end > end)
        this.set({ ...this.now, ...head, window: join(this.now.window, piece) });
      else this.set({ ...this.now, ...head });
    });
  }

  /** Notes that the log has grown. */
  grown(size: number): void {
    if (size > this.now.size) this.set({ ...this.now, size });
  }

  private async read(ask: Query) {
    const { bytes, headers } = await getBytes(this.path, { ...this.query, limit: readAtOnce, ...ask }, this.control.signal);
    const number = (name: string) => {
      const text = headers.get(name);
      return text === null || text === "" ? undefined : Number(text);
    };
    const start = number("Trowel-Log-Start") ?? 0;
    const firstLine = number("Trowel-Log-First-Line") ?? 1;
    const done = headers.get("Trowel-Log-Done");
    return {
      piece: readPiece(bytes, start, firstLine),
      head: {
        size: number("Trowel-Log-Size") ?? start + bytes.length,
        done: done === "true" || done === "1",
        ...(ask.at === "error" && bytes.length > 0 ? { errorLine: firstLine } : {}),
      },
    };
  }

  /** One reading after the other, so that pieces fit together. */
  private turn(work: () => Promise<void>): Promise<void> {
    this.busy = this.busy.then(async () => {
      if (this.control.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        if (!this.control.signal.aborted) this.set({ ...this.now, error });
      }
    });
    return this.busy;
  }

  private set(state: LogState): void {
    this.now = state;
    for (const listener of this.listeners) listener();
  }
}

function questionFor(place: LogPlace): Query {
  switch (place.at) {
    case "error":
      return { at: "error" };
    case "end":
      return { tail: 500 };
    case "line":
      return { line: Math.max(1, place.line - 100) };
    case "offset":
      return { from: Math.max(0, Math.floor(place.offset)) };
    case "start":
      return { from: "0" };
  }
}
