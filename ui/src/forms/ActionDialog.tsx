import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { Button } from "../base/Button";
import { Dialog } from "../base/Dialog";
import { Failure } from "../base/Notice";
import css from "./ActionDialog.module.css";

interface ActionDialogProps {
  readonly title: string;
  readonly fields?: ReactNode; // what one chooses
  readonly preview: ReactNode; // what will happen
  readonly act: string; // names the effect
  readonly what: string; // could not be done if it fails, as "skip sessions"
  readonly ready: boolean; // the preview stands, and it can be done
  readonly onAct: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** A dialog that shows what will happen beside what one chooses. Ctrl+Enter does it. */
export function ActionDialog({ title, fields, preview, act, what, ready, onAct, onClose }: ActionDialogProps) {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onAct();
      onClose();
    } catch (caught) {
      setError(caught);
      void queries.invalidateQueries({ queryKey: ["preview"] }); // what was shown may not hold any more
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} wide={Boolean(fields)}>
      <form
        ref={form}
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
        }}
      >
        <div className={fields ? css.both : undefined}>
          {fields && <div>{fields}</div>}
          <section className={css.preview} aria-label="What will happen" aria-live="polite">
            {preview}
          </section>
        </div>
        {error !== undefined && <Failure compact what={what} error={error} />}
        <p className={css.foot}>
          <Button type="submit" look="main" disabled={!ready || busy} title="Ctrl+Enter">
            {act}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Dialog>
  );
}

/** Sessions or other things by name, the first ones of many. */
export function Listed({ list, count = list.length }: { readonly list: readonly string[]; readonly count?: number }) {
  const shown = list.slice(0, 50);
  return (
    <ul className={css.list}>
      {shown.map((text) => (
        <li key={text}>{text}</li>
      ))}
      {count > shown.length && <li className="quiet">and {count - shown.length} more</li>}
    </ul>
  );
}
