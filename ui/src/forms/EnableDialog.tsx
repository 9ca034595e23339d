import { useState } from "react";
import { change } from "../api/call";
import type { Schedule, ScheduledRuns } from "../api/operate";
import { Choice } from "../base/Choice";
import { serverNow } from "../time/clock";
import { sessionText } from "../time/format";
import { ActionDialog, Listed } from "./ActionDialog";

interface EnableDialogProps {
  readonly schedule: Schedule;
  readonly runs: ScheduledRuns;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Enables a schedule, with the sessions that it has missed or without them. */
export function EnableDialog({ schedule, runs, onDone, onClose }: EnableDialogProps) {
  const now = serverNow();
  const missed = runs.items.filter((run) => Date.parse(run.runTime) <= now);
  const [what, setWhat] = useState<"start" | "skip">(missed.length > 1 ? "skip" : "start");
  const next = runs.items.find((run) => Date.parse(run.runTime) > now);
  const open = missed.length === runs.items.length && missed.length > 0;
  return (
    <ActionDialog
      title={`Enable the schedule of ${schedule.workflow.name}`}
      what="enable the schedule"
      act={what === "start" && missed.length > 0 ? `Enable and start ${missed.length}${open ? " or more" : ""} missed` : "Enable"}
      ready
      onClose={onClose}
      onAct={async () => {
        await change("POST", `api/schedules/${schedule.id}/enable`, { skipSchedule: what === "skip" && missed.length > 0 });
        onDone();
      }}
      fields={
        missed.length > 0 ? (
          <Choice
            bare
            title="Missed sessions"
            value={what}
            choices={{ skip: "Skip what was missed", start: "Start what was missed" }}
            onChange={setWhat}
          />
        ) : undefined
      }
      preview={
        <>
          {missed.length > 0 && (
            <>
              <p>{what === "start" ? "These start at once, one after the other:" : "These will not start:"}</p>
              <Listed list={missed.map((run) => sessionText(run.local))} />
            </>
          )}
          <p>{next ? `${missed.length > 0 ? "Then" : "The next session is"} ${sessionText(next.local)}.` : ""}</p>
        </>
      }
    />
  );
}
