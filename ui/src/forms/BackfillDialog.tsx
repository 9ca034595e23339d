import { useState } from "react";
import { change } from "../api/call";
import type { IdName } from "../api/operate";
import type { AttemptItem } from "../api/shapes";
import { Field } from "../base/Field";
import { Failure } from "../base/Notice";
import { serverNow } from "../time/clock";
import { sessionText, wallOf } from "../time/format";
import { instantText, takenInstant } from "../time/instants";
import { ActionDialog, Listed } from "./ActionDialog";
import { usePreview } from "./preview";
import { TimeField } from "./TimeField";

interface BackfillDialogProps {
  readonly schedule: { readonly id: string; readonly workflow: IdName };
  readonly zone: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Starts sessions of the past of a schedule, one after the other. */
export function BackfillDialog({ schedule, zone, onDone, onClose }: BackfillDialogProps) {
  const [from, setFrom] = useState(() => `${wallOf(serverNow() - 86_400_000, zone).date} 00:00`);
  const [count, setCount] = useState("");
  const [name, setName] = useState(() => `backfill-${wallOf(serverNow(), zone).date}`);
  const taken = takenInstant(from, zone);
  const n = count.trim() === "" ? null : Number(count);
  const good = n === null || (Number.isInteger(n) && n > 0);
  const path = `api/schedules/${schedule.id}/backfill`;
  const body = taken && good && name.trim() !== "" ? { fromTime: instantText(taken.ms), attemptName: name.trim(), count: n } : undefined;
  const preview = usePreview<{ readonly attempts: readonly AttemptItem[] }>("POST", path, body && { ...body, dryRun: true });
  const attempts = preview.data?.attempts;
  return (
    <ActionDialog
      title={`Backfill ${schedule.workflow.name}`}
      what="start the backfill"
      act={attempts?.length === 1 ? "Start 1 session" : attempts?.length ? `Start ${attempts.length} sessions` : "Start sessions"}
      ready={Boolean(attempts?.length)}
      onClose={onClose}
      onAct={async () => {
        await change("POST", path, { ...body, dryRun: false });
        onDone();
      }}
      fields={
        <>
          <TimeField title="From the first session due at or after" zone={zone} value={from} onValue={setFrom} />
          <Field
            title="How many sessions"
            placeholder="all before the next one"
            inputMode="numeric"
            value={count}
            onValue={setCount}
            wrong={good ? undefined : "A whole number above 0, or nothing"}
          />
          <Field
            title="Name of the attempts"
            value={name}
            onValue={setName}
            wrong={name.trim() === "" ? "A name is needed" : undefined}
            about="Sessions that have an attempt of this name are refused."
          />
        </>
      }
      preview={
        preview.error ? (
          <Failure compact what="backfill so" error={preview.error} />
        ) : attempts?.length === 0 ? (
          <p>No session of the schedule lies in this range.</p>
        ) : attempts ? (
          <>
            <p>These sessions start, one after the other:</p>
            <Listed list={attempts.map((attempt) => sessionText(attempt.sessionTime))} />
          </>
        ) : (
          <p className="quiet">Choose a range; this shows which sessions would start.</p>
        )
      }
    />
  );
}
