import { type ReactNode, useEffect, useState } from "react";
import { CallError } from "../api/error";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import css from "./Notice.module.css";

/** Says what would be here, and how it comes. */
export function Empty({ title, children, command }: { readonly title: string; readonly children?: ReactNode; readonly command?: string }) {
  return (
    <div className={css.notice}>
      <h2>{title}</h2>
      {children && <div className={css.words}>{children}</div>}
      {command && (
        <p className={css.command}>
          <code>{command}</code>
          <CopyButton text={command} />
        </p>
      )}
    </div>
  );
}

/** Rows of the height that the real ones will have. Nothing is shown for the first moment: most answers come sooner. */
export function Loading({ what, rows = 8 }: { readonly what: string; readonly rows?: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={css.loading} aria-busy="true">
      <span className="unseen" role="status">
        {shown ? `Reading ${what}` : ""}
      </span>
      {shown && Array.from({ length: rows }, (_, i) => i).map((row) => <div key={row} className={css.bar} aria-hidden="true" />)}
    </div>
  );
}

interface FailureProps {
  readonly what: string; // could not be done, as "read the log of +load"
  readonly error: unknown;
  readonly retry?: () => void;
  readonly compact?: boolean;
}

/** Says what could not be done, why, and how to go on. The rest of the page lives on. */
export function Failure({ what, error, retry, compact = false }: FailureProps) {
  const call = error instanceof CallError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div className={compact ? css.thin : css.notice} role="alert">
      <h2>Could not {what}</h2>
      <p className={css.words}>
        {message}
        {call?.hint ? ` (${call.hint})` : ""}
        {call?.reference ? <span className="quiet"> · reference {call.reference}</span> : null}
      </p>
      <p className={css.actions}>
        {retry && <Button onClick={retry}>Try again</Button>}
        <CopyButton text={call?.details ?? `${message}\n`} label="Copy details" />
      </p>
    </div>
  );
}

/** Says that the thing of this page is not there, by what the server answered. */
export function Gone({ what, error }: { readonly what: string; readonly error: CallError }) {
  if (error.status === 403) {
    return (
      <Empty title={`You may not see ${what}`}>
        <p>{error.message}</p>
      </Empty>
    );
  }
  return (
    <Empty title={`There is no ${what}`}>
      <p>
        It was deleted, or cleaned away after its time was over, or it belongs to a project that you may not see. The server says:{" "}
        {error.message}
      </p>
    </Empty>
  );
}

/** Reports whether an error means that the thing is not there for this person. */
export function isGone(error: unknown): error is CallError {
  return error instanceof CallError && (error.status === 404 || error.status === 403);
}
