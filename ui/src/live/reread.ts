import { useEffect, useRef } from "react";
import { useMissed, useTopic } from "./stream";

const pause = 2000;

/** Reads again what events of a topic may have changed: at once, then every two seconds as long as they come. */
export function useReread(topic: string, reread: () => void): void {
  const latest = useRef(reread);
  latest.current = reread;
  const state = useRef<{ timer: ReturnType<typeof setTimeout> | undefined; again: boolean }>({ timer: undefined, again: false });
  useTopic(topic, () => {
    const now = state.current;
    if (now.timer !== undefined) {
      now.again = true;
      return;
    }
    const read = () => {
      latest.current();
      now.again = false;
      now.timer = setTimeout(() => {
        now.timer = undefined;
        if (now.again) read();
      }, pause);
    };
    read();
  });
  useMissed(reread);
  useEffect(() => {
    const now = state.current;
    return () => {
      clearTimeout(now.timer);
      now.timer = undefined;
    };
  }, []);
}
