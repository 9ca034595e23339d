import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Upcoming } from "../api/overview";
import { Part } from "../base/Page";
import { Strip } from "../plot/Strip";
import { clockOffset } from "../time/clock";
import { duration } from "../time/duration";
import { sessionText, wallText } from "../time/format";
import css from "./Home.module.css";

const ahead = 7_200_000;

interface UpcomingProps {
  readonly upcoming: readonly Upcoming[];
  readonly zone: string;
  readonly now: number; // when it was read, by this machine
}

/** What schedules start in the next 2 hours. */
export function HomeUpcoming({ upcoming, zone, now }: UpcomingProps) {
  const items = useMemo(
    () => upcoming.map((item) => ({ ...item, at: Date.parse(item.runTime), length: item.expectedMs ?? 0 })),
    [upcoming],
  );
  const from = now + clockOffset();
  return (
    <Part title="Next 2 hours" beside={<Link to="/schedules">Schedules</Link>}>
      {items.length === 0 ? (
        <p className={css.none}>No schedule starts a session.</p>
      ) : (
        <Strip
          items={items}
          from={from}
          to={from + ahead}
          zone={zone}
          itemKey={(item) => `${item.scheduleId} ${item.sessionTime}`}
          draw={(item, className, known) => (
            <Link
              to="/schedules/$id"
              params={{ id: item.scheduleId }}
              className={className}
              data-row
              title={`${item.workflow} of ${item.project.name}: session ${sessionText(item.sessionTime)}, starts ${wallText(item.at, zone)}${known ? `, usually takes ${duration(item.length)}` : ""}`}
            >
              {item.workflow}
            </Link>
          )}
        />
      )}
    </Part>
  );
}
