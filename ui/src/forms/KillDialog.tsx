import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { TreePage } from "../api/attempt";
import { change, get } from "../api/call";
import { Button } from "../base/Button";
import { Dialog } from "../base/Dialog";
import { Failure, Loading } from "../base/Notice";
import { Length } from "../time/Wall";
import css from "./forms.module.css";

const many = 100; // running tasks, above which the number is asked for

interface KillDialogProps {
  readonly attempt: string;
  readonly onClose: () => void;
  readonly onKilled: () => void;
}

/** Shows what runs now, and stops the attempt. */
export function KillDialog({ attempt, onClose, onKilled }: KillDialogProps) {
  const path = `api/attempts/${encodeURIComponent(attempt)}`;
  const [typed, setTyped] = useState("");
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLButtonElement>("button[type=button]")?.focus(), []);
  const running = useQuery({
    queryKey: ["tree", attempt, "running"],
    queryFn: ({ signal }) => get<TreePage>(`${path}/tree`, { flat: true, filter: "running", sort: "start", limit: 500 }, signal),
    staleTime: 0,
    refetchInterval: 2000,
  });
  const found = running.data?.items.filter((item) => item.state === "running") ?? [];
  const n = running.data?.total.value ?? 0;
  const asks = n > many;
  const ready = running.data !== undefined && !sending && (!asks || typed.trim() === String(n));
  const send = async () => {
    if (!ready) return;
    setSending(true);
    setRefused(undefined);
    try {
      await change("POST", `${path}/kill`);
      onKilled();
    } catch (error) {
      setRefused(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <Dialog title={`Kill attempt ${attempt}`} onClose={onClose}>
      <form
        ref={form}
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
        {refused !== undefined && <Failure compact what={`kill attempt ${attempt}`} error={refused} />}
        {running.isError ? (
          <Failure compact what="read what runs" error={running.error} retry={() => void running.refetch()} />
        ) : running.data ? (
          <>
            <h3>
              {n === 0
                ? "No task runs now"
                : n === 1
                  ? "1 task runs and is stopped"
                  : `${n.toLocaleString("en")} tasks run and are stopped`}
            </h3>
            {found.length > 0 && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keys
              <ul className={css.list} tabIndex={0} aria-label="Tasks that run">
                {found.map((item) => (
                  <li key={item.fullName}>
                    <code>{item.fullName}</code>{" "}
                    <span className="quiet">
                      <Length from={item.startedAt} to={null} />
                    </span>
                  </li>
                ))}
                {n > found.length && <li className="quiet">and {(n - found.length).toLocaleString("en")} more</li>}
              </ul>
            )}
            <p className="quiet">Tasks that wait do not start any more. What was started outside ends as its operator can end it.</p>
          </>
        ) : (
          <Loading what="what runs" rows={3} />
        )}
        {asks && (
          <label className={css.note}>
            Type {n} to go on
            <input inputMode="numeric" value={typed} onChange={(event) => setTyped(event.target.value)} />
          </label>
        )}
        <div className={css.foot}>
          <span className="quiet">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" disabled={!ready}>
            {sending ? "Stopping" : n === 0 ? "Kill the attempt" : n === 1 ? "Stop 1 task" : `Stop ${n.toLocaleString("en")} tasks`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
