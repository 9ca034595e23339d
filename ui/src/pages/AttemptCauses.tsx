import type { RootCause } from "../api/attempt";
import { Button } from "../base/Button";
import { Mark } from "../state/Mark";
import css from "./Attempt.module.css";

interface CausesProps {
  readonly causes: readonly RootCause[];
  readonly selected: string | undefined;
  readonly onOpen: (task: string) => void;
}

const shown = 3;

/** The tasks that failed by themselves, in the order in which they did. */
export function AttemptCauses({ causes, selected, onOpen }: CausesProps) {
  if (causes.length === 0) return null;
  return (
    <section className={css.causes} aria-label="Why it failed">
      {causes.slice(0, shown).map((cause) => (
        <article key={cause.taskId} className={css.cause}>
          <p className={css.what}>
            <Mark state="error" />
            <button type="button" className={css.task} aria-pressed={selected === cause.taskId} onClick={() => onOpen(cause.taskId)}>
              {cause.taskName}
            </button>
            {cause.handler && <span className="quiet">while it handled the failure</span>}
            {cause.tasks > 1 && <span className="quiet">and {(cause.tasks - 1).toLocaleString("en")} more tasks alike</span>}
            {cause.sameCause > 0 && (
              <span className="quiet">
                same cause in {cause.sameCause} other {cause.sameCause === 1 ? "attempt" : "attempts"} of 14 days
              </span>
            )}
          </p>
          <p className={css.message}>{cause.error.message}</p>
          {selected !== cause.taskId && cause.logTail.length > 0 && (
            <pre className={css.tail}>{cause.logTail.slice(causes.length > 1 ? -3 : -10).join("\n")}</pre>
          )}
        </article>
      ))}
      {causes.length > shown && (
        <Button look="bare" onClick={() => onOpen(causes[shown]?.taskId ?? "")}>
          {causes.length - shown} more causes
        </Button>
      )}
    </section>
  );
}
