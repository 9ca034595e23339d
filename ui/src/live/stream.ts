import { useEffect, useRef, useSyncExternalStore } from "react";
import { type Asked, Hub, type Link, type Told } from "./hub";
import { openStream } from "./open";
import { workerAddress } from "./trusted";
import script from "./worker?sharedworker&url";

export interface LiveFrame {
  readonly name: string;
  readonly data: unknown;
}

type Handler = (frames: readonly LiveFrame[]) => void;

const paintEvery = 500; // milliseconds between two paints that come from events
const hiddenFor = 60_000; // after which a hidden tab leaves its topics

let ask: ((asked: Asked) => void) | undefined;
let link: Link = { state: "idle" };
let paused = false;
let asleep = false;
const watched = new Map<string, Set<Handler>>();
const waiting = new Map<string, LiveFrame[]>();
const listeners = new Set<() => void>();
const wakers = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let dealtAt = 0;

function connect(): (asked: Asked) => void {
  if (ask) return ask;
  if (typeof SharedWorker === "function") {
    try {
      const port = new SharedWorker(workerAddress(script), { type: "module", name: "trowel" }).port;
      port.onmessage = (message: MessageEvent<Told>) => hear(message.data);
      addEventListener("pagehide", () => port.postMessage({ kind: "close" } satisfies Asked));
      addEventListener("pageshow", (event) => event.persisted && location.reload());
      ask = (asked) => port.postMessage(asked);
      return ask;
    } catch {
      // Each tab has its own stream then.
    }
  }
  ask = new Hub(openStream).connect(hear);
  return ask;
}

function hear(told: Told): void {
  if (told.kind === "link") {
    const before = link;
    link = told.link;
    for (const listener of listeners) listener();
    if (link.state === "live" && before.state === "lost") wake();
    return;
  }
  if (!watched.has(told.topic)) return;
  const list = waiting.get(told.topic) ?? [];
  list.push({ name: told.name, data: told.data });
  waiting.set(told.topic, list);
  if (!paused && timer === undefined) timer = setTimeout(deal, Math.max(0, dealtAt + paintEvery - Date.now()));
}

function deal(): void {
  timer = undefined;
  if (paused) return;
  dealtAt = Date.now();
  const all = [...waiting];
  waiting.clear();
  for (const [topic, frames] of all) for (const handler of watched.get(topic) ?? []) handler(frames);
}

function wake(): void {
  for (const waker of wakers) waker();
}

let sleeper: ReturnType<typeof setTimeout> | undefined;
document.addEventListener("visibilitychange", () => {
  clearTimeout(sleeper);
  if (document.hidden) {
    sleeper = setTimeout(() => {
      asleep = true;
      for (const topic of watched.keys()) ask?.({ kind: "leave", topic });
    }, hiddenFor);
  } else if (asleep) {
    asleep = false;
    for (const topic of watched.keys()) ask?.({ kind: "join", topic });
    wake();
  }
});

function join(topic: string, handler: Handler): () => void {
  const handlers = watched.get(topic) ?? new Set();
  handlers.add(handler);
  watched.set(topic, handlers);
  if (handlers.size === 1 && !asleep) connect()({ kind: "join", topic });
  return () => {
    handlers.delete(handler);
    if (handlers.size > 0) return;
    watched.delete(topic);
    waiting.delete(topic);
    if (!asleep) ask?.({ kind: "leave", topic });
  };
}

/** Calls back with the events of a topic, at most twice a second, as long as the component is shown. No topic: nothing. */
export function useTopic(topic: string | undefined, handler: Handler): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => (topic === undefined ? undefined : join(topic, (frames) => latest.current(frames))), [topic]);
}

/** Calls back when what is shown may have missed changes: the stream was cut, or the tab slept. */
export function useMissed(callback: () => void): void {
  const latest = useRef(callback);
  latest.current = callback;
  useEffect(() => {
    const waker = () => latest.current();
    wakers.add(waker);
    return () => {
      wakers.delete(waker);
    };
  }, []);
}

export type Liveness = Link | { readonly state: "paused" };

const pausedLink: Liveness = { state: "paused" };

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How live the page is. */
export function useLiveness(): Liveness {
  return useSyncExternalStore(subscribe, () => (paused ? pausedLink : link));
}

/** Holds back changes, or lets them in again. */
export function setPaused(on: boolean): void {
  paused = on;
  if (!on) deal();
  for (const listener of listeners) listener();
}

export function isPaused(): boolean {
  return paused;
}

/** Tries to connect at once. */
export function reconnect(): void {
  ask?.({ kind: "again" });
}
