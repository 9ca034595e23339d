import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Retry, RetryTasks } from "../api/attempt";
import { change } from "../api/call";
import { CallError } from "../api/error";
import { Button } from "../base/Button";
import { Choice } from "../base/Choice";
import { Dialog } from "../base/Dialog";
import { Failure, Loading } from "../base/Notice";
import { lookOf } from "../state/look";
import { Mark } from "../state/Mark";
import css from "./forms.module.css";

export type RetryMode = "all" | "failed" | "from";

interface RetryDialogProps {
  readonly attempt: string;
  readonly task: string | undefined; // full name of what is selected
  readonly mode: RetryMode;
  readonly latest: boolean; // the attempt ran the newest revision
  readonly onClose: () => void;
  readonly onStarted: (attempt: string) => void;
}

/** Asks what to run again, and shows beforehand which tasks that are. */
export function RetryDialog({ attempt, task, mode: begin, latest, onClose, onStarted }: RetryDialogProps) {
  const [mode, setMode] = useState<RetryMode>(begin);
  const [revision, setRevision] = useState<"same" | "latest">("same");
  const [note, setNote] = useState("");
  const [name] = useState(() => `retry-${Date.now().toString(36)}${Math.floor(Math.random() * 46656).toString(36)}`);
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLInputElement>("input:checked")?.focus(), []);
  const path = `api/attempts/${encodeURIComponent(attempt)}/retry`;
  const request = { mode, from: mode === "from" ? task : undefined, revision, name };
  const preview = useQuery({
    queryKey: ["retry", attempt, request],
    queryFn: () => change<Retry>("POST", path, { ...request, dryRun: true }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
  const plan = preview.data;
  const changed = refused instanceof CallError && refused.status === 412;
  const ready =
    plan !== undefined && !preview.isPlaceholderData && !preview.isFetching && !preview.isError && plan.run.count > 0 && !sending;

  const send = async () => {
    if (!ready) return;
    setSending(true);
    setRefused(undefined);
    try {
      const begun = await change<Retry>("POST", path, { ...request, note: note.trim() || undefined, expect: plan.expect });
      if (begun?.attempt) onStarted(begun.attempt.id);
    } catch (error) {
      setRefused(error);
      if (error instanceof CallError && error.status === 412) void preview.refetch();
    } finally {
      setSending(false);
    }
  };
  const choose = (wanted: RetryMode) => {
    setRefused(undefined);
    setMode(wanted);
  };
  const n = plan?.run.count ?? 0;

  return (
    <Dialog title={`Run attempt ${attempt} again`} onClose={onClose} wide>
      <form
        ref={form}
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      >
        <div className={css.asked}>
          <Choice
            title="Run"
            value={mode}
            choices={
              task
                ? { from: "From here", failed: "What failed", all: "Everything" }
                : ({ failed: "What failed", all: "Everything" } as Record<RetryMode, string>)
            }
            onChange={choose}
          />
          {mode === "from" && (
            <p className={css.hint}>
              <code>{task}</code> and all that comes after it
            </p>
          )}
          {mode === "failed" && <p className={css.hint}>All tasks that did not succeed</p>}
          <Choice title="With revision" value={revision} choices={{ same: "The same", latest: "The newest" }} onChange={setRevision} />
          {latest && <p className={css.hint}>This attempt ran the newest one.</p>}
          <label className={css.note}>
            Note, for the audit
            <textarea rows={3} value={note} onChange={(event) => setNote(event.target.value)} />
          </label>
          <p className={css.hint}>A new attempt of the same session begins, with the same parameters.</p>
        </div>
        <div className={css.shown} aria-live="polite" aria-busy={preview.isFetching}>
          {changed && <p className={css.changed}>Something changed meanwhile, so nothing was started. This is what would run now.</p>}
          {refused !== undefined && !changed && <Failure compact what={`run attempt ${attempt} again`} error={refused} />}
          {preview.isError ? (
            <Failure compact what="find out what would run" error={preview.error} retry={() => void preview.refetch()} />
          ) : plan ? (
            <Plan plan={plan} />
          ) : (
            <Loading what="what would run" rows={5} />
          )}
        </div>
        <div className={css.foot}>
          <span className="quiet">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" disabled={!ready}>
            {sending
              ? "Starting"
              : plan === undefined
                ? "Run again"
                : n === 0
                  ? "Nothing would run"
                  : n === 1
                    ? "Run 1 task again"
                    : `Run ${n.toLocaleString("en")} tasks again`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Plan({ plan }: { readonly plan: Retry }) {
  const leaves = plan.run.items.filter((item) => !item.isGroup);
  return (
    <>
      {plan.warnings.map((warning) => (
        <p key={warning} className={css.warning}>
          {warning}
        </p>
      ))}
      <h3>
        {plan.run.count.toLocaleString("en")} {plan.run.count === 1 ? "task runs" : "tasks run"}
        <States tasks={plan.run} />
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keys */}
      <ul className={css.list} tabIndex={0} aria-label="Tasks that run">
        {leaves.map((item) => (
          <li key={item.fullName} data-task={item.fullName}>
            <Mark state={item.state ?? "absent"} /> <code>{item.fullName}</code>
          </li>
        ))}
        {plan.run.count > leaves.length && <li className="quiet">and {(plan.run.count - leaves.length).toLocaleString("en")} more</li>}
      </ul>
      <p className="quiet">
        {plan.reuse.count === 0
          ? "No result of this attempt is used again."
          : `${plan.reuse.count.toLocaleString("en")} ${plan.reuse.count === 1 ? "task counts as done, with what it has" : "tasks count as done, with what they have"} stored.`}{" "}
        Tasks that others make at run time are not listed.
      </p>
    </>
  );
}

function States({ tasks }: { readonly tasks: RetryTasks }) {
  const words = Object.entries(tasks.byState).map(
    ([state, n]) => `${n.toLocaleString("en")} ${state === "new" ? "new" : lookOf(state).word}`,
  );
  return words.length === 0 ? null : <span className="quiet"> · before: {words.join(", ")}</span>;
}
