import { RotateCw } from "lucide-react";
import { useEffect } from "react";
import { wallOf, zoneOf } from "../time/format";
import { Button } from "./Button";
import { usePrefs } from "./prefs";

interface AsOfProps {
  readonly at: number; // when it was read, in milliseconds of this machine
  readonly reading: boolean;
  readonly onRead: () => void;
}

/** Says when what is shown was read, and reads it again on demand and when the person comes back to the tab. */
export function AsOf({ at, reading, onRead }: AsOfProps) {
  const { zone } = usePrefs();
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") onRead();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [onRead]);
  const name = zoneOf(zone === "workflow" ? "local" : zone, undefined);
  return (
    <Button look="bare" onClick={onRead} disabled={reading} title="Read again">
      <RotateCw size={14} aria-hidden="true" />
      <span className="quiet">{at > 0 ? `read at ${wallOf(at, name).time}` : "reading"}</span>
    </Button>
  );
}
