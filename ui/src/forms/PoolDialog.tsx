import { useState } from "react";
import { change } from "../api/call";
import type { Pool, PoolChange } from "../api/operate";
import { Field } from "../base/Field";
import { Failure } from "../base/Notice";
import { ActionDialog } from "./ActionDialog";
import css from "./PoolDialog.module.css";
import { slotsOf, slotsText, slotsWords } from "./poolslots";
import { usePreview } from "./preview";

interface PoolDialogProps {
  readonly pool?: Pool | undefined; // that is changed; a new one is made without
  readonly name?: string; // of a new one
  readonly onDone: (pool: Pool) => void;
  readonly onClose: () => void;
}

/** The path of a pool, which may be that of one project. */
export function poolPath(name: string, project: string | undefined, query: Readonly<Record<string, string>> = {}): string {
  const list = new URLSearchParams(query);
  if (project) list.set("project", project);
  return `api/pools/${encodeURIComponent(name)}${list.size > 0 ? `?${list}` : ""}`;
}

/** Makes a pool, or changes one. */
export function PoolDialog({ pool, name: wanted = "", onDone, onClose }: PoolDialogProps) {
  const [name, setName] = useState(pool?.name ?? wanted);
  const [project, setProject] = useState(pool?.project?.name ?? "");
  const [slots, setSlots] = useState(pool ? slotsText(pool.slots) : "");
  const [description, setDescription] = useState(pool?.description ?? "");
  const [includeDeferred, setIncludeDeferred] = useState(pool?.includeDeferred ?? false);
  const [note, setNote] = useState("");
  const number = slotsOf(slots);
  const goodName = /^[\w.-]{1,64}$/.test(name);
  const body = number !== undefined && goodName ? { slots: number, description, includeDeferred } : undefined;
  const path = poolPath(name, project);
  const preview = usePreview<PoolChange>("PUT", path, body && { ...body, dryRun: true });
  const what = preview.data;
  return (
    <ActionDialog
      title={pool ? `Change pool ${pool.name}` : "New pool"}
      what={pool ? "change the pool" : "make the pool"}
      act={
        what?.action === "create"
          ? `Make pool ${name}`
          : what?.action === "update"
            ? "Change the pool"
            : pool
              ? "Change the pool"
              : "Make the pool"
      }
      ready={Boolean(what) && what?.action !== "none"}
      onClose={onClose}
      onAct={async () => {
        const done = await change<PoolChange>("PUT", path, { ...body, note, expect: what?.expect });
        if (done) onDone(done.pool);
      }}
      fields={
        <>
          {!pool && (
            <>
              <Field
                title="Name"
                value={name}
                onValue={setName}
                wrong={name !== "" && !goodName ? "1 to 64 letters, digits and the signs _ - ." : undefined}
                about="as tasks write it: _pool: name"
              />
              <Field title="Project" value={project} onValue={setProject} placeholder="all projects" />
            </>
          )}
          <Field
            title="Slots"
            value={slots}
            onValue={setSlots}
            wrong={slots !== "" && number === undefined ? "A whole number, or unlimited" : undefined}
            about="0 starts nothing; or unlimited"
          />
          <Field title="Description" value={description} onValue={setDescription} />
          <label className={css.check}>
            <input type="checkbox" checked={includeDeferred} onChange={(event) => setIncludeDeferred(event.target.checked)} /> Tasks keep
            their slots while they wait for something outside
          </label>
          <Field title="Reason, for the audit" value={note} onValue={setNote} />
        </>
      }
      preview={
        preview.error ? (
          <Failure compact what="do so" error={preview.error} />
        ) : what ? (
          <>
            <p>
              {what.action === "none"
                ? "Nothing changes."
                : what.action === "create"
                  ? `Pool ${what.pool.name} is made, with ${slotsWords(what.pool.slots)}.`
                  : `Pool ${what.pool.name} has ${slotsWords(what.pool.slots)} then.`}
            </p>
            {what.action !== "none" && what.startable > 0 && (
              <p>{what.startable === 1 ? "1 waiting task can start." : `${what.startable} waiting tasks can start.`}</p>
            )}
            <ul>
              {what.notes.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </>
        ) : (
          <p className="quiet">Fill in name and slots; this shows what would follow.</p>
        )
      }
    />
  );
}

/** Deletes a pool. */
export function PoolDeleteDialog({
  pool,
  onDone,
  onClose,
}: {
  readonly pool: Pool;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const preview = usePreview<PoolChange>("DELETE", poolPath(pool.name, pool.project?.name, { dryRun: "true" }), {});
  const what = preview.data;
  return (
    <ActionDialog
      title={`Delete pool ${pool.name}`}
      what="delete the pool"
      act={`Delete pool ${pool.name}`}
      ready={Boolean(what)}
      onClose={onClose}
      onAct={async () => {
        await change("DELETE", poolPath(pool.name, pool.project?.name, { expect: what?.expect ?? "" }));
        onDone();
      }}
      preview={
        preview.error ? (
          <Failure compact what="delete it" error={preview.error} />
        ) : (
          what && (
            <>
              <p>Pool {pool.name} is deleted.</p>
              <ul>
                {what.notes.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </>
          )
        )
      }
    />
  );
}
