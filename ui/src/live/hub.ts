import { FrameReader } from "./sse";

/** What the hub tells a tab. */
export type Told =
  | { readonly kind: "frame"; readonly topic: string; readonly name: string; readonly data: unknown }
  | { readonly kind: "link"; readonly link: Link };

/** How the connection to the server is. Instants are in milliseconds of this machine. */
export type Link =
  | { readonly state: "idle" } // nobody watches anything
  | { readonly state: "connecting" }
  | { readonly state: "live"; readonly since: number }
  | { readonly state: "lost"; readonly since: number; readonly retryAt: number }
  | { readonly state: "signedOut" };

/** What a tab tells the hub. */
export type Asked =
  | { readonly kind: "join"; readonly topic: string }
  | { readonly kind: "leave"; readonly topic: string }
  | { readonly kind: "again" } // try now, as after a sign-in
  | { readonly kind: "close" };

/** Where a stream is read: fetch, or a stand-in of tests. */
export type Opener = (topics: readonly string[], after: string, signal: AbortSignal) => Promise<Response>;

const settle = 40; // milliseconds in which changes of topics come together
const silence = 45_000; // the server sends something every 15 s
const longest = 15_000; // between two tries

/**
 * Holds the one stream of a browser and deals its events out to tabs. Tabs join topics; whenever the topics change, the stream is
 * opened again from the position it was at.
 */
export class Hub {
  private readonly tabs = new Map<(told: Told) => void, Set<string>>();
  private readonly open: Opener;
  private link: Link = { state: "idle" };
  private position = "";
  private current: AbortController | undefined;
  private topics: string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private lostAt = 0;

  constructor(open: Opener) {
    this.open = open;
  }

  /** Adds a tab. The result takes what the tab asks. */
  connect(tell: (told: Told) => void): (asked: Asked) => void {
    const mine = new Set<string>();
    this.tabs.set(tell, mine);
    tell({ kind: "link", link: this.link });
    return (asked) => {
      switch (asked.kind) {
        case "join":
          mine.add(asked.topic);
          break;
        case "leave":
          mine.delete(asked.topic);
          break;
        case "again":
          this.failures = 0;
          this.topics = [];
          break;
        case "close":
          this.tabs.delete(tell);
          break;
      }
      this.later(settle);
    };
  }

  private tellAll(told: Told): void {
    for (const tell of this.tabs.keys()) tell(told);
  }

  private setLink(link: Link): void {
    this.link = link;
    this.tellAll({ kind: "link", link });
  }

  private later(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.reconcile(), ms);
  }

  /** Opens the stream again if the topics have changed. */
  private reconcile(): void {
    const wanted = [...new Set([...this.tabs.values()].flatMap((topics) => [...topics]))].sort();
    if (this.current && wanted.join("\n") === this.topics.join("\n")) return;
    this.current?.abort();
    this.current = undefined;
    this.topics = wanted;
    if (wanted.length === 0) {
      this.position = "";
      this.failures = 0;
      this.setLink({ state: "idle" });
      return;
    }
    const control = new AbortController();
    this.current = control;
    void this.read(wanted, control);
  }

  private async read(topics: readonly string[], control: AbortController): Promise<void> {
    if (this.link.state === "idle" || this.link.state === "signedOut") this.setLink({ state: "connecting" });
    let quiet: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(quiet);
      quiet = setTimeout(() => control.abort("silent"), silence);
    };
    try {
      alive();
      const answer = await this.open(topics, this.position, control.signal);
      if (answer.status === 401) {
        this.current = undefined;
        this.setLink({ state: "signedOut" });
        return;
      }
      if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
      const lines = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      const frames = new FrameReader();
      for (;;) {
        const { value, done } = await lines.read();
        if (done) break;
        alive();
        if (this.current !== control) return;
        if (this.link.state !== "live") {
          this.failures = 0;
          this.setLink({ state: "live", since: Date.now() });
        }
        for (const frame of frames.read(value)) this.deal(frame.name, frame.id, frame.data, topics);
      }
      this.failed(control);
    } catch {
      this.failed(control);
    } finally {
      clearTimeout(quiet);
    }
  }

  private deal(name: string, id: string, text: string, topics: readonly string[]): void {
    if (id !== "") this.position = id;
    let data: unknown;
    try {
      data = JSON.parse(text);
    } catch {
      return;
    }
    const named = (data as { topic?: unknown } | null)?.topic;
    const of = typeof named === "string" ? [named] : topics;
    for (const [tell, mine] of this.tabs) {
      for (const topic of of) if (mine.has(topic)) tell({ kind: "frame", topic, name, data });
    }
  }

  /** Tries again later, unless the stream was ended on purpose. */
  private failed(control: AbortController): void {
    if (this.current !== control) return;
    this.current = undefined;
    const now = Date.now();
    if (this.link.state !== "lost") this.lostAt = now;
    this.failures++;
    const wait = Math.min(longest, 500 * 2 ** this.failures) * (0.8 + 0.4 * Math.random());
    this.setLink({ state: "lost", since: this.lostAt, retryAt: now + wait });
    this.later(wait);
  }
}
