import { useEffect, useState } from "react";
import { serverNow } from "./clock";
import { duration, elapsed } from "./duration";
import { sessionIn, sessionText, wallOf, wallText, type ZoneChoice, zoneOf } from "./format";

interface WallProps {
  readonly at: string | null | undefined; // an instant of the server
  readonly zone: ZoneChoice;
  readonly workflow?: string | undefined; // the workflow's zone
  /** Without the zone, which then stands in the head of the column. */
  readonly bare?: boolean;
}

/** A wall time in the zone that the person chose. Tips show it in all zones, with its age. */
export function Wall({ at, zone, workflow, bare = false }: WallProps) {
  const ms = at ? Date.parse(at) : Number.NaN;
  if (!at || Number.isNaN(ms)) return <span className="quiet">–</span>;
  const name = zoneOf(zone, workflow);
  const wall = wallOf(ms, name);
  return (
    <time dateTime={at} data-zone={workflow}>
      {bare ? `${wall.date} ${wall.time}` : wallText(ms, name)}
    </time>
  );
}

/** A session time, which is a name: always in the zone of its workflow. One that came in UTC needs that zone. */
export function SessionTime({ at, zone }: { readonly at: string; readonly zone?: string | undefined }) {
  return <time dateTime={at}>{zone ? sessionIn(at, zone) : sessionText(at)}</time>;
}

/** The length of something that may still go on. It stops counting while the page is not live, as nobody knows then. */
export function Length({
  from,
  to,
  frozen = false,
}: {
  readonly from: string | null | undefined;
  readonly to: string | null | undefined;
  readonly frozen?: boolean;
}) {
  const [now, setNow] = useState(serverNow);
  const open = Boolean(from) && !to && !frozen;
  useEffect(() => {
    if (!open) return;
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, [open]);
  if (!from) return <span className="quiet">–</span>;
  const begun = Date.parse(from);
  if (to) return <>{duration(Math.max(0, Date.parse(to) - begun))}</>;
  return <>{elapsed(now - begun)}</>;
}
