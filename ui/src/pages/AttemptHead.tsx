import { Link } from "@tanstack/react-router";
import type { AttemptSummary } from "../api/attempt";
import { statusOf } from "../api/shapes";
import { Button } from "../base/Button";
import { lookOf } from "../state/look";
import { Mark } from "../state/Mark";
import { duration } from "../time/duration";
import type { ZoneChoice } from "../time/format";
import { sessionText, wallOf, zoneOf } from "../time/format";
import { Length, SessionTime, Wall } from "../time/Wall";
import { CountsBar } from "../tree/CountsBar";
import css from "./Attempt.module.css";

interface HeadProps {
  readonly attempt: AttemptSummary;
  readonly zone: ZoneChoice;
  readonly frozen: boolean;
  readonly onRetry: () => void;
  readonly onKill: () => void;
}

const kinds: Readonly<Record<string, string>> = {
  start: "by",
  retry: "as a retry by",
  require: "by require> of",
  schedule: "by its schedule,",
  backfill: "as a backfill by",
};

/** What the attempt is, how it goes, and what can be done with it. */
export function AttemptHead({ attempt, zone, frozen, onRetry, onKill }: HeadProps) {
  const can = (verb: string) => attempt.can.includes(verb);
  const old = attempt.latestRevision !== null && attempt.latestRevision !== attempt.revision;
  const total = Object.values(attempt.counts).reduce((sum, n) => sum + n, 0);
  return (
    <header className={css.head}>
      <div className={css.title}>
        <h1>
          <Mark state={statusOf(attempt)} word size={18} />
          <span className={css.workflow}>{attempt.workflow.name}</span>
          <span className={css.session}>
            <SessionTime at={attempt.sessionTime} />
          </span>
        </h1>
        <div className={css.actions}>
          {can("RunWorkflow") && (
            <Button onClick={onRetry} title="r">
              Retry…
            </Button>
          )}
          {can("KillAttempt") && !attempt.done && (
            <Button onClick={onKill} title="Shift+K">
              Kill…
            </Button>
          )}
          {attempt.can.length === 0 && <span className="quiet">Read only</span>}
        </div>
      </div>
      <dl className={css.facts}>
        <div>
          <dt>Attempt</dt>
          <dd>
            {attempt.id}
            {attempt.retryAttemptName && <span className="quiet"> {attempt.retryAttemptName}</span>}
          </dd>
        </div>
        <div>
          <dt>Project</dt>
          <dd>
            <Link to="/sessions" search={{ project: attempt.project.name, workflow: attempt.workflow.name }}>
              {attempt.project.name}
            </Link>
          </dd>
        </div>
        <div>
          <dt>Started</dt>
          <dd>
            <Wall at={attempt.createdAt} zone={zone} workflow={attempt.workflowTimezone} />{" "}
            <span className="quiet">
              {kinds[attempt.startedBy.kind] ?? attempt.startedBy.kind} {attempt.startedBy.name}
            </span>
          </dd>
        </div>
        <div>
          <dt>{attempt.done ? "Took" : "Runs for"}</dt>
          <dd>
            <Length from={attempt.createdAt} to={attempt.finishedAt} frozen={frozen} />
            {attempt.queuedMs >= 1000 && <span className="quiet"> ({duration(attempt.queuedMs)} queued)</span>}
          </dd>
        </div>
        {attempt.estimate && !attempt.done && (
          <div>
            <dt>Done</dt>
            <dd title={`Of the last ${attempt.estimate.samples} successes, 8 of 10 would end in this time`}>
              {clockOf(attempt.estimate.p10At, zone, attempt)}–{clockOf(attempt.estimate.p90At, zone, attempt)}
            </dd>
          </div>
        )}
        <div>
          <dt>Revision</dt>
          <dd>
            <span className={css.revision} title={attempt.revision}>
              {attempt.revision}
            </span>
            {old && (
              <span className="quiet" title={`The newest is ${attempt.latestRevision}`}>
                {" "}
                not the newest
              </span>
            )}
          </dd>
        </div>
        {attempt.previousSuccess && (
          <div>
            <dt>Last success</dt>
            <dd>
              <Link to="/attempts/$id" params={{ id: attempt.previousSuccess.id }}>
                {sessionText(attempt.previousSuccess.sessionTime)}
              </Link>
            </dd>
          </div>
        )}
      </dl>
      {total > 0 && (
        <div className={css.counts}>
          <CountsBar counts={attempt.counts} />
          <span className="quiet">
            {Object.entries(attempt.counts)
              .map(([state, n]) => `${n.toLocaleString("en")} ${lookOf(state).word}`)
              .join(" · ")}
          </span>
        </div>
      )}
    </header>
  );
}

function clockOf(at: string, zone: ZoneChoice, attempt: AttemptSummary): string {
  const wall = wallOf(Date.parse(at), zoneOf(zone, attempt.workflowTimezone));
  return wall.time.slice(0, 5);
}

/** The attempts of the session, of which this is one. */
export function AttemptStrip({ attempt }: { readonly attempt: AttemptSummary }) {
  if (attempt.retries.length === 0) return null;
  const all = [...attempt.retries, { ...attempt, status: statusOf(attempt), kind: attempt.startedBy.kind }].sort(
    (a, b) => a.index - b.index,
  );
  return (
    <nav className={css.strip} aria-label="Attempts of this session">
      <span className="quiet">Attempts</span>
      <ol>
        {all.map((each) => (
          <li key={each.id}>
            <Link to="/attempts/$id" params={{ id: each.id }} aria-current={each.id === attempt.id ? "page" : undefined}>
              <Mark state={each.status} /> {each.index}
              <span className="quiet"> {each.kind === "start" ? "first" : each.kind}</span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
