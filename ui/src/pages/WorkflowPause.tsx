import { useState } from "react";
import { change } from "../api/call";
import { Field } from "../base/Field";
import { ActionDialog } from "../forms/ActionDialog";

interface WorkflowPauseProps {
  readonly path: string; // of the workflow on the server
  readonly name: string;
  readonly paused: boolean;
  readonly waiting: number;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Pauses a workflow, or ends its pause. */
export function WorkflowPause({ path, name, paused, waiting, onDone, onClose }: WorkflowPauseProps) {
  const [note, setNote] = useState("");
  const wait = waiting === 1 ? "1 attempt waits" : `${waiting >= 100 ? "100 or more" : waiting} attempts wait`;
  return (
    <ActionDialog
      title={paused ? `Resume ${name}` : `Pause ${name}`}
      what={paused ? "resume the workflow" : "pause the workflow"}
      act={paused ? "Resume" : "Pause"}
      ready
      fields={<Field title="Reason, for the audit" value={note} onValue={setNote} />}
      preview={
        paused ? (
          <p>{waiting > 0 ? `${wait} and will begin, in the order of their session times. ` : ""}The schedule starts what it has missed.</p>
        ) : (
          <p>Nothing new of {name} begins, neither by its schedule nor by hand: attempts that are started wait. What runs goes on.</p>
        )
      }
      onAct={async () => {
        await change("POST", `${path}/${paused ? "resume" : "pause"}`, { note });
        onDone();
      }}
      onClose={onClose}
    />
  );
}
