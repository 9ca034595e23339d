import { noteServerTime } from "../time/clock";
import { CallError, readErrorBody } from "./error";
import { addressOf } from "./place";

/** Values of a query; those that are undefined or empty are left out. */
export type Query = Record<string, string | number | boolean | undefined>;

function withQuery(path: string, query: Query): string {
  const list = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "" && value !== false) list.set(name, value === true ? "1" : String(value));
  }
  const text = list.toString();
  return text === "" ? path : `${path}?${text}`;
}

const signedOut = new Set<() => void>();

/** Calls back whenever the server asks for a sign-in. Returns what ends that. */
export function onSignedOut(callback: () => void): () => void {
  signedOut.add(callback);
  return () => signedOut.delete(callback);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const began = Date.now();
  let answer: Response;
  try {
    answer = await fetch(addressOf(path), { credentials: "same-origin", ...init });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new CallError(path, 0, {});
  }
  noteServerTime(answer.headers.get("Date"), began, Date.now());
  if (answer.ok) return answer;
  const text = await answer.text().catch(() => "");
  const error = new CallError(path, answer.status, readErrorBody(text), text);
  if (answer.status === 401) for (const callback of signedOut) callback();
  throw error;
}

/** Reads JSON. */
export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const where = withQuery(path, query);
  const answer = await send(where, { headers: { Accept: "application/json" }, signal: signal ?? null });
  const text = await answer.text();
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new CallError(where, answer.status, { message: "something in front of the server answered in its place: this is no JSON" });
  }
}

/** Reads text, with the headers that came with it. */
export async function getText(path: string, query: Query, signal?: AbortSignal): Promise<{ text: string; headers: Headers }> {
  const { bytes, headers } = await getBytes(path, query, signal);
  return { text: new TextDecoder().decode(bytes), headers };
}

/** Reads bytes, with the headers that came with them. */
export async function getBytes(path: string, query: Query, signal?: AbortSignal): Promise<{ bytes: Uint8Array; headers: Headers }> {
  const answer = await send(withQuery(path, query), { signal: signal ?? null });
  return { bytes: new Uint8Array(await answer.arrayBuffer()), headers: answer.headers };
}

/** Sends a change. */
export async function change<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T | undefined> {
  const headers: Record<string, string> = { Accept: "application/json", "X-Trowel-Request": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await send(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const text = await answer.text();
  return text === "" ? undefined : (JSON.parse(text) as T);
}
