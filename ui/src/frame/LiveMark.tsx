import { useEffect, useState } from "react";
import { Button } from "../base/Button";
import { type Liveness, reconnect, setPaused, useLiveness } from "../live/stream";
import { localZone, wallOf } from "../time/format";
import css from "./LiveMark.module.css";

const clock = (ms: number) => wallOf(ms, localZone).time;

function wordsOf(live: Liveness, now: number): { word: string; long: string } {
  switch (live.state) {
    case "live":
      return { word: "Live", long: `Changes arrive as they happen, since ${clock(live.since)}. Press . to hold them back.` };
    case "paused":
      return { word: "Paused", long: "Changes are held back. Press . to let them in." };
    case "lost": {
      const wait = Math.max(0, Math.ceil((live.retryAt - now) / 1000));
      return {
        word: `Not live since ${clock(live.since)}`,
        long: `Not live since ${clock(live.since)}, trying again ${wait > 0 ? `in ${wait} s` : "now"}`,
      };
    }
    case "signedOut":
      return { word: "Signed out", long: "The server asks for a sign-in." };
    case "connecting":
      return { word: "Connecting", long: "Asking the server for changes." };
    case "idle":
      return { word: "Still", long: "Nothing on this page changes by itself." };
  }
}

/** Says whether what the page shows is kept up to date. */
export function LiveMark() {
  const live = useLiveness();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (live.state !== "lost") return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [live]);
  const { word, long } = wordsOf(live, now);
  const lost = live.state === "lost";
  return (
    <Button
      look="bare"
      className={css.live}
      data-state={live.state}
      title={long}
      aria-label={long}
      onClick={() => (lost ? reconnect() : setPaused(live.state !== "paused"))}
    >
      <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
        {live.state === "live" && <circle cx="6" cy="6" r="5" />}
        {live.state === "paused" && <path d="M2 1h3v10H2zM7 1h3v10H7z" />}
        {live.state !== "live" && live.state !== "paused" && (
          <path fillRule="evenodd" d="M6 1a5 5 0 1 1 0 10A5 5 0 1 1 6 1ZM6 2.4a3.6 3.6 0 1 0 0 7.2 3.6 3.6 0 1 0 0-7.2Z" />
        )}
      </svg>
      <span>{lost ? long : word}</span>
    </Button>
  );
}
