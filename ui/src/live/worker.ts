import { type Asked, Hub, type Told } from "./hub";
import { openStream } from "./open";

// Runs once for all tabs of a browser: HTTP/1.1 allows few connections to a server, and each stream takes one.
const hub = new Hub(openStream);

(self as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = (event) => {
  const port = event.ports[0];
  if (!port) return;
  const ask = hub.connect((told: Told) => port.postMessage(told));
  port.onmessage = (message: MessageEvent<Asked>) => ask(message.data);
  port.start();
};
