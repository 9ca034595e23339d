import { Link } from "@tanstack/react-router";
import type { Health, Need, Overview } from "../api/overview";
import { Part } from "../base/Page";
import { GoLink, type Target } from "../base/Table";
import { Mark } from "../state/Mark";
import { duration } from "../time/duration";
import type { ZoneChoice } from "../time/format";
import { Wall } from "../time/Wall";
import css from "./Home.module.css";

/** How the server is, the worst first: one line if all is well. */
export function HomeHealth({ health, counts }: { readonly health: Health; readonly counts: Overview["counts"] }) {
  const broken = health.parts?.filter((part) => !part.ok) ?? [];
  const agents = health.agents;
  const { p99Ms, oldestReadyMs } = health.lag;
  const bad = !health.ok || (agents?.dead ?? 0) > 0;
  return (
    <section className={css.health} aria-label="Health">
      {broken.map((part) => (
        <p key={part.name} className={css.broken} role="alert">
          <Mark state="error" /> {part.name.replaceAll("_", " ")} does not work{part.message ? `: ${part.message}` : ""}
        </p>
      ))}
      <p className={css.line}>
        <Mark state={bad ? "error" : "success"} label={health.ok ? (bad ? "Agents were lost" : "All is well") : "Not well"} />
        {agents && (
          <Link to="/agents">
            {agents.live === 0 ? "no agents" : agents.live === 1 ? "1 agent" : `${agents.live} agents`}
            {agents.late > 0 && `, ${agents.late} late`}
            {agents.dead > 0 && `, ${agents.dead} lost`}
          </Link>
        )}
        <Link to="/queues">
          tasks: {counts.runningTasks.toLocaleString("en")} running, {counts.readyTasks.toLocaleString("en")} queued
        </Link>
        {oldestReadyMs !== null && <span>oldest waits {duration(oldestReadyMs)}</span>}
        {p99Ms !== null && <span title="99 of 100 tasks of the last 5 minutes went to an agent sooner">hand-off {duration(p99Ms)}</span>}
      </p>
    </section>
  );
}

/** What a person should do. */
export function HomeNeeds({ needs, zone }: { readonly needs: readonly Need[]; readonly zone: ZoneChoice }) {
  if (needs.length === 0) return null;
  return (
    <Part title="Needs you">
      <ul className={css.rows}>
        {needs.map((need) => {
          const target = targetOf(need.path);
          return (
            <li key={`${need.kind} ${need.text}`} className={css.row}>
              {target ? (
                <GoLink target={target} className={css.main} data-row>
                  {need.text}
                </GoLink>
              ) : (
                <b>{need.text}</b>
              )}
              {(need.since || need.until) && (
                <span className={css.when}>
                  {need.until ? "at" : "since"} <Wall at={need.until ?? need.since} zone={zone} />
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

/** The page of a document of the API. */
function targetOf(path: string | null): Target | undefined {
  const found = /^\/api\/projects\/(\d+)\/workflows\/(.+)\/pause$/.exec(path ?? "");
  return found ? { to: "/projects/$id/workflows/$name", params: { id: found[1] ?? "", name: found[2] ?? "" } } : undefined;
}
