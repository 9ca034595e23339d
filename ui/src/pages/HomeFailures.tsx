import { Link } from "@tanstack/react-router";
import type { Failure } from "../api/overview";
import { Choice } from "../base/Choice";
import { Part } from "../base/Page";
import { Mark } from "../state/Mark";
import { type ZoneChoice, zoneOfSession } from "../time/format";
import { SessionTime, Wall } from "../time/Wall";
import css from "./Home.module.css";
import { choiceOf, plainLine, type SinceChoice, sinceChoices } from "./HomeSince";

interface FailuresProps {
  readonly failures: readonly Failure[];
  readonly since: string | undefined;
  readonly chosen: string | undefined; // cause
  readonly zone: ZoneChoice;
  readonly onChoose: (cause: string) => void;
  readonly onSince: (since: SinceChoice) => void;
}

const most = 20; // causes in one overview

/** What failed, by cause. */
export function HomeFailures({ failures, since, chosen, zone, onChoose, onSince }: FailuresProps) {
  const open = failures.filter((failure) => !failure.recovered);
  const recovered = failures.filter((failure) => failure.recovered);
  const choice = choiceOf(since);
  return (
    <Part
      title="Failed"
      beside={
        <>
          <Choice bare title="Since" value={choice ?? ("" as SinceChoice)} choices={sinceChoices} onChange={onSince} />
          {choice === undefined && (
            <span className="quiet">
              since <Wall at={since} zone={zone} />
            </span>
          )}
        </>
      }
    >
      {open.length === 0 && <p className={css.none}>{recovered.length > 0 ? "All that failed has succeeded since." : "Nothing failed."}</p>}
      <ol>
        {open.map((failure) => (
          <Group key={failure.cause} failure={failure} chosen={failure.cause === chosen} zone={zone} onChoose={onChoose} />
        ))}
      </ol>
      {failures.length >= most && <p className={css.none}>These are the newest {most} causes. A shorter time shows fewer.</p>}
      {recovered.length > 0 && (
        <details className={css.recovered}>
          <summary>{recovered.length === 1 ? "1 cause" : `${recovered.length} causes`} recovered: later attempts succeeded</summary>
          <ol>
            {recovered.map((failure) => (
              <li key={failure.cause}>
                <Link to="/attempts/$id" params={{ id: failure.sample.attemptId }} search={{ task: failure.sample.taskId, tab: "log" }}>
                  {failure.sample.workflow}
                </Link>{" "}
                {failure.count > 1 && `×${failure.count} `}
                {failure.message}
              </li>
            ))}
          </ol>
        </details>
      )}
    </Part>
  );
}

interface GroupProps {
  readonly failure: Failure;
  readonly chosen: boolean;
  readonly zone: ZoneChoice;
  readonly onChoose: (cause: string) => void;
}

function Group({ failure, chosen, zone, onChoose }: GroupProps) {
  const { sample } = failure;
  const workflowZone = zoneOfSession(sample.sessionTime);
  const tail = sample.logTail.slice(-3).map(plainLine);
  return (
    <li className={css.group} data-chosen={chosen || undefined} onFocus={() => onChoose(failure.cause)}>
      <p className={css.what}>
        <span className={css.lead}>
          <Mark state="error" />
          <Link
            to="/attempts/$id"
            params={{ id: sample.attemptId }}
            search={{ task: sample.taskId, tab: "log" }}
            className={css.main}
            data-row
            data-group={failure.cause}
            data-chosen={chosen || undefined}
          >
            {sample.workflow}
          </Link>
        </span>
        <span className="quiet">{sample.project.name}</span>
        <b className={css.count} title={`${failure.count} tasks of ${failure.attemptCount} attempts`}>
          ×{failure.count.toLocaleString("en")}
        </b>
        {failure.isNew && (
          <span className={css.new} title="No such failure in the 14 days before">
            new
          </span>
        )}
        <span className="quiet">{failure.operator ?? failure.kind}</span>
        <span className={css.when}>
          {failure.first.slice(0, 19) !== failure.last.slice(0, 19) && (
            <>
              <Wall at={failure.first} zone={zone} workflow={workflowZone} bare />
              {" – "}
            </>
          )}
          <Wall at={failure.last} zone={zone} workflow={workflowZone} />
        </span>
      </p>
      <p className={css.message}>{plainLine(failure.message)}</p>
      <p className={css.task}>
        {sample.taskName} · session <SessionTime at={sample.sessionTime} /> · attempt {sample.attemptId}
        {failure.attemptCount > 1 && ` and ${(failure.attemptCount - 1).toLocaleString("en")} more`}
      </p>
      {tail.length > 0 && <pre className={css.tail}>{tail.join("\n")}</pre>}
    </li>
  );
}
