import { Link } from "@tanstack/react-router";
import type { Late, RunningItem, WaitingCount } from "../api/overview";
import { statusOf } from "../api/shapes";
import { Part } from "../base/Page";
import { GoLink, type Target } from "../base/Table";
import { Mark } from "../state/Mark";
import { duration } from "../time/duration";
import { wallOf, type ZoneChoice, zoneOf, zoneOfSession } from "../time/format";
import { Length, SessionTime } from "../time/Wall";
import { CountsBar } from "../tree/CountsBar";
import css from "./Home.module.css";

function targetOf(late: Late): Target | undefined {
  if (late.attemptId) return { to: "/attempts/$id", params: { id: late.attemptId } };
  if (!late.scheduleId) return undefined;
  return { to: "/schedules/$id", params: { id: late.scheduleId }, search: { why: late.sessionTime ?? undefined } };
}

/** What should have happened by now. */
export function HomeLate({ late, zone }: { readonly late: readonly Late[]; readonly zone: ZoneChoice }) {
  if (late.length === 0) return null;
  return (
    <Part title="Late">
      <ul className={css.rows}>
        {late.map((item) => {
          const target = targetOf(item);
          const at = wallOf(Date.parse(item.expectedAt), zoneOf(zone, item.sessionTime ? zoneOfSession(item.sessionTime) : undefined));
          return (
            <li key={`${item.kind} ${item.project.id} ${item.workflow} ${item.sessionTime}`} className={css.row}>
              {target ? (
                <GoLink target={target} className={css.main} data-row>
                  {item.workflow}
                </GoLink>
              ) : (
                <b className={css.main}>{item.workflow}</b>
              )}
              <span className="quiet">{item.project.name}</span>
              {item.sessionTime && <SessionTime at={item.sessionTime} />}
              <b title={`expected ${at.date} ${at.time} ${at.offset}`}>{duration(Math.abs(item.marginMs))} late</b>
              <span className={css.reason}>{item.reason}</span>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

interface RunningProps {
  readonly running: readonly RunningItem[];
  readonly zone: ZoneChoice;
  readonly frozen: boolean;
}

/** What runs now, with when it should be done. */
export function HomeRunning({ running, zone, frozen }: RunningProps) {
  return (
    <Part
      title="Running now"
      beside={
        running.length >= 20 && (
          <Link to="/sessions" search={{ status: "running" }}>
            all
          </Link>
        )
      }
    >
      {running.length === 0 && <p className={css.none}>Nothing runs.</p>}
      <ul className={css.rows}>
        {running.map((item) => (
          <li key={item.id} className={css.running}>
            <span className={css.name}>
              <Mark state={statusOf(item)} />
              <Link to="/attempts/$id" params={{ id: item.id }} className={css.main} data-row>
                {item.workflow.name}
              </Link>
              <span className="quiet">{item.project.name}</span>
            </span>
            <SessionTime at={item.sessionTime} />
            <span className={css.progress}>
              <CountsBar counts={item.counts} small />
            </span>
            <span className={css.elapsed}>
              <Length from={item.createdAt} to={item.finishedAt} frozen={frozen} />
            </span>
            <Done item={item} zone={zone} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Done({ item, zone }: { readonly item: RunningItem; readonly zone: ZoneChoice }) {
  const { estimate } = item;
  if (!estimate) return <span className={css.done} />;
  const name = zoneOf(zone, zoneOfSession(item.sessionTime));
  const from = wallOf(Date.parse(estimate.p10At), name);
  const to = wallOf(Date.parse(estimate.p90At), name);
  const begin = from.time.slice(0, 5);
  const end = to.time.slice(0, 5);
  const about = `Of ${estimate.samples} successes, eight in ten would have ended from ${from.date} ${from.time} to ${to.date} ${to.time} ${to.offset}`;
  return (
    <span className={css.done} title={about}>
      {estimate.late ? (
        <b>
          usually done by {end} {to.offset}
        </b>
      ) : (
        `done ${begin === end ? end : `${begin}–${end}`} ${to.offset}`
      )}
    </span>
  );
}

// Sentences without a name read the same with one.
const words: Readonly<Record<string, string>> = {
  pool: "pool full",
  pool_missing: "no such pool",
  pool_too_small: "pool too small",
  no_agent: "no agent for queue",
  agent_slots: "all slots of agents in use",
  concurrency: "limit of a key",
  max_active_tasks: "limit of running tasks",
  attempts_limit: "limit of active attempts",
  workflow_paused: "workflow paused",
  site_limit: "limit of the server",
  dispatch: "about to start",
  backfill: "session before in a backfill",
};

function targetOfWait({ code, arg }: WaitingCount): Target {
  if (code.startsWith("pool")) return arg && code !== "pool_missing" ? { to: "/pools/$name", params: { name: arg } } : { to: "/pools" };
  if (code === "no_agent" || code === "agent_slots") return { to: "/agents", search: { queue: arg || undefined } };
  if (code === "dispatch" || code === "site_limit") return { to: "/queues" };
  return { to: "/sessions", search: { status: "running" } };
}

/** What waits, by reason. */
export function HomeWaiting({ waiting }: { readonly waiting: readonly WaitingCount[] }) {
  if (waiting.length === 0) return null;
  return (
    <Part title="Waiting">
      <ul className={css.waiting}>
        {waiting.map((item) => (
          <li key={`${item.code} ${item.arg}`}>
            <GoLink target={targetOfWait(item)} data-row>
              {words[item.code] ?? item.code.replaceAll("_", " ")}
              {item.arg && ` ${item.arg}`}: <b>{item.count.toLocaleString("en")}</b>
            </GoLink>
          </li>
        ))}
      </ul>
    </Part>
  );
}
