import { useState } from "react";
import { change } from "../api/call";
import type { Schedule, ScheduledRuns } from "../api/operate";
import { Choice } from "../base/Choice";
import { Field } from "../base/Field";
import { Failure } from "../base/Notice";
import { sessionText } from "../time/format";
import { instantText, takenInstant } from "../time/instants";
import { SessionTime } from "../time/Wall";
import { ActionDialog, Listed } from "./ActionDialog";
import { usePreview } from "./preview";
import { TimeField } from "./TimeField";

interface SkipDialogProps {
  readonly schedule: Schedule;
  readonly runs: ScheduledRuns; // the next ones
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Moves a schedule past some of its next sessions. */
export function SkipDialog({ schedule, runs, onDone, onClose }: SkipDialogProps) {
  const [way, setWay] = useState<"count" | "until">("count");
  const [count, setCount] = useState("1");
  const [until, setUntil] = useState("");
  const n = Number(count);
  const taken = takenInstant(until, runs.timezone);
  const path = `api/schedules/${schedule.id}/skip`;
  let body: Record<string, unknown> | undefined;
  if (way === "count" && Number.isInteger(n) && n > 0) body = { fromTime: schedule.nextRunTime, count: n };
  if (way === "until" && taken) body = { nextTime: instantText(taken.ms) };
  const preview = usePreview<Schedule>("POST", path, body && { ...body, dryRun: true });
  const after = preview.data;
  const dropped = after ? runs.items.filter((run) => Date.parse(run.sessionTime) < Date.parse(after.nextScheduleTime)) : [];
  const all = after ? (way === "count" ? n : dropped.length) : 0;
  return (
    <ActionDialog
      title={`Skip sessions of ${schedule.workflow.name}`}
      what="skip sessions"
      act={all === 1 ? "Skip 1 session" : all > 1 ? `Skip ${all} sessions` : "Skip sessions"}
      ready={Boolean(after)}
      onClose={onClose}
      onAct={async () => {
        await change("POST", path, { ...body, dryRun: false });
        onDone();
      }}
      fields={
        <>
          <Choice bare title="Which" value={way} choices={{ count: "The next ones", until: "All until a time" }} onChange={setWay} />
          {way === "count" ? (
            <Field
              title="How many sessions"
              inputMode="numeric"
              value={count}
              onValue={setCount}
              wrong={Number.isInteger(n) && n > 0 ? undefined : "A whole number above 0"}
            />
          ) : (
            <TimeField title="Go on with the first run at or after" zone={runs.timezone} value={until} onValue={setUntil} />
          )}
        </>
      }
      preview={
        preview.error ? (
          <Failure compact what="skip so" error={preview.error} />
        ) : after ? (
          <>
            <p>These sessions will not start:</p>
            <Listed list={dropped.map((run) => sessionText(run.local))} count={all} />
            <p>
              The next session is <SessionTime at={after.nextScheduleTime} />.
            </p>
          </>
        ) : (
          <p className="quiet">Choose what to skip; this shows what would happen.</p>
        )
      }
    />
  );
}
