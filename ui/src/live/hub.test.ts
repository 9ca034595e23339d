import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Hub, type Told } from "./hub";

interface Opened {
  readonly topics: readonly string[];
  readonly after: string;
  readonly signal: AbortSignal;
  send(text: string): void;
  end(): void;
}

function world(status = 200) {
  const opened: Opened[] = [];
  const hub = new Hub((topics, after, signal) => {
    let control: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (given) => {
        control = given;
      },
    });
    signal.addEventListener("abort", () => {
      try {
        control.error(new Error("aborted"));
      } catch {
        // It had ended.
      }
    });
    opened.push({ topics, after, signal, send: (text) => control.enqueue(new TextEncoder().encode(text)), end: () => control.close() });
    return Promise.resolve(new Response(status === 200 ? body : null, { status }));
  });
  const tab = () => {
    const told: Told[] = [];
    const ask = hub.connect((one) => told.push(one));
    const frames = () => told.filter((one) => one.kind === "frame");
    const link = () => told.filter((one) => one.kind === "link").at(-1)?.link;
    return { told, ask, frames, link };
  };
  return { opened, tab };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test("tabs share one stream, and each gets the frames of its own topics", async () => {
  const { opened, tab } = world();
  const one = tab();
  const two = tab();
  one.ask({ kind: "join", topic: "attempt:1" });
  two.ask({ kind: "join", topic: "attempt:1" });
  two.ask({ kind: "join", topic: "site" });
  await pass(100);
  expect(opened.map((stream) => stream.topics)).toEqual([["attempt:1", "site"]]);
  opened[0]?.send('id: x-1\nevent: tasks\ndata: {"topic":"attempt:1"}\n\nid: x-2\nevent: attempt\ndata: {"topic":"site"}\n\n');
  await pass(10);
  expect(one.frames().map((frame) => frame.topic)).toEqual(["attempt:1"]);
  expect(two.frames().map((frame) => frame.topic)).toEqual(["attempt:1", "site"]);
  expect(one.link()?.state).toBe("live");
});

test("when topics change the stream goes on from its position, and ends with the last topic", async () => {
  const { opened, tab } = world();
  const one = tab();
  one.ask({ kind: "join", topic: "site" });
  await pass(100);
  opened[0]?.send("id: x-7\nevent: attempt\ndata: {}\n\n");
  await pass(10);
  expect(one.frames().map((frame) => frame.topic)).toEqual(["site"]);
  one.ask({ kind: "join", topic: "attempt:1" });
  await pass(100);
  expect(opened[0]?.signal.aborted).toBe(true);
  expect([opened[1]?.topics, opened[1]?.after]).toEqual([["attempt:1", "site"], "x-7"]);
  one.ask({ kind: "close" });
  await pass(100);
  expect(opened[1]?.signal.aborted).toBe(true);
  expect(opened).toHaveLength(2);
});

test("a lost stream is tried again, later and later, and tabs know since when", async () => {
  const { opened, tab } = world();
  const one = tab();
  one.ask({ kind: "join", topic: "site" });
  await pass(100);
  opened[0]?.send(": trowel\n\n");
  await pass(10);
  expect(one.link()?.state).toBe("live");
  opened[0]?.end();
  await pass(10);
  const lost = one.link();
  expect(lost?.state).toBe("lost");
  await pass(2000);
  expect(opened).toHaveLength(2);
  opened[1]?.end();
  await pass(10);
  const again = one.link();
  expect(again?.state === "lost" && lost?.state === "lost" && again.since === lost.since).toBe(true);
  await pass(5000);
  opened[2]?.send(": trowel\n\n");
  await pass(10);
  expect(one.link()?.state).toBe("live");
});

test("a stream that is silent for too long counts as lost", async () => {
  const { opened, tab } = world();
  const one = tab();
  one.ask({ kind: "join", topic: "site" });
  await pass(100);
  opened[0]?.send(": trowel\n\n");
  await pass(50_000);
  expect(opened[0]?.signal.aborted).toBe(true);
  expect(["lost", "live", "connecting"]).toContain(one.link()?.state);
  expect(opened.length).toBeGreaterThan(1);
});

test("an answer that asks for a sign-in is not tried again by itself", async () => {
  const { opened, tab } = world(401);
  const one = tab();
  one.ask({ kind: "join", topic: "site" });
  await pass(60_000);
  expect(one.link()?.state).toBe("signedOut");
  expect(opened).toHaveLength(1);
  one.ask({ kind: "again" });
  await pass(100);
  expect(opened).toHaveLength(2);
});
