/** The address of the stream, from that of the script: both are below the same root, whatever path that has. */
function streamAddress(): URL {
  return new URL("../api/events", import.meta.url.includes("/assets/") ? import.meta.url : new URL("/assets/x", self.location.href));
}

/** Opens a stream of some topics, after a position. */
export function openStream(topics: readonly string[], after: string, signal: AbortSignal): Promise<Response> {
  const address = streamAddress();
  for (const topic of topics) address.searchParams.append("topic", topic);
  if (after !== "") address.searchParams.set("after", after);
  return fetch(address, { signal, credentials: "same-origin", cache: "no-store", headers: { Accept: "text/event-stream" } });
}
