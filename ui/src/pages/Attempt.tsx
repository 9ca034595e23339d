import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate, useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import type { AttemptSummary } from "../api/attempt";
import { get } from "../api/call";
import { type AttemptItem, statusOf } from "../api/shapes";
import { useActions } from "../base/actions";
import { useCrumbs } from "../base/crumbs";
import { useShortcuts } from "../base/keys";
import { Failure, Gone, isGone, Loading } from "../base/Notice";
import { usePrefs } from "../base/prefs";
import { useTitle } from "../base/title";
import { KillDialog } from "../forms/KillDialog";
import { RetryDialog, type RetryMode } from "../forms/RetryDialog";
import { useLiveness, useMissed, useTopic } from "../live/stream";
import { sessionText } from "../time/format";
import css from "./Attempt.module.css";
import { AttemptCauses } from "./AttemptCauses";
import { AttemptHead, AttemptStrip } from "./AttemptHead";
import { AttemptTasks } from "./AttemptTasks";

const attemptRoute = getRouteApi("/attempts/$id");
const sessionRoute = getRouteApi("/sessions/$id");
const goRoute = getRouteApi("/attempts/$id/go");

/** What the address says besides the attempt. */
export interface AttemptSearch {
  readonly task?: string | undefined; // id or full name
  readonly try?: string | undefined;
  readonly tab?: string | undefined;
  readonly filter?: string | undefined;
  readonly q?: string | undefined;
  readonly line?: string | undefined;
  readonly open?: string | undefined; // ids of unfolded tasks, with dots between them
  readonly fold?: string | undefined;
}

/** An attempt, by its own id. */
export function AttemptPage() {
  const { id } = attemptRoute.useParams();
  const search = attemptRoute.useSearch();
  const navigate = useNavigate();
  const set = useCallback(
    (changed: AttemptSearch, push = false) =>
      void navigate({ to: "/attempts/$id", params: { id }, search: (before) => ({ ...before, ...changed }), replace: !push }),
    [navigate, id],
  );
  return <Attempt key={id} id={id} search={search} set={set} pinned />;
}

interface Session {
  readonly lastAttempt: { readonly id: string } | null;
}

/** A session: its newest attempt. */
export function SessionPage() {
  const { id } = sessionRoute.useParams();
  const search = sessionRoute.useSearch();
  const navigate = useNavigate();
  const set = useCallback(
    (changed: AttemptSearch, push = false) =>
      void navigate({ to: "/sessions/$id", params: { id }, search: (before) => ({ ...before, ...changed }), replace: !push }),
    [navigate, id],
  );
  const found = useQuery({
    queryKey: ["session", id],
    queryFn: ({ signal }) => get<Session>(`api/sessions/${encodeURIComponent(id)}`, {}, signal),
  });
  const attempt = found.data?.lastAttempt?.id;
  if (attempt) return <Attempt key={attempt} id={attempt} search={search} set={set} pinned={false} />;
  if (isGone(found.error)) return <Gone what={`session ${id}`} error={found.error} />;
  if (found.error) return <Failure what={`read session ${id}`} error={found.error} retry={() => void found.refetch()} />;
  if (found.data) return <Failure what={`show session ${id}`} error={new Error("it has no attempt")} />;
  return <Loading what="the session" />;
}

/** A short link of alerts: goes on to a task, at its error. Names in it may have lost their plus signs, which stand for spaces in addresses. */
export function AttemptGo() {
  const { id } = goRoute.useParams();
  const { task, to } = goRoute.useSearch();
  const name = task?.startsWith(" ") ? task.replaceAll(" ", "+") : task;
  const tab = to === "error" || to === undefined ? "log" : to;
  return <Navigate to="/attempts/$id" params={{ id }} search={name ? { task: name, tab } : {}} replace />;
}

interface AttemptProps {
  readonly id: string;
  readonly search: AttemptSearch;
  readonly set: (changed: AttemptSearch, push?: boolean) => void;
  readonly pinned: boolean; // to this attempt, and not to the newest of its session
}

function Attempt({ id, search, set, pinned }: AttemptProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const live = useLiveness();
  const { zone } = usePrefs();
  const frozen = live.state === "lost";
  const found = useQuery({
    queryKey: ["attempt", id],
    queryFn: ({ signal }) => get<AttemptSummary>(`api/attempts/${encodeURIComponent(id)}/summary`, {}, signal),
  });
  const attempt = found.data;
  const status = attempt ? statusOf(attempt) : undefined;
  useTitle(attempt ? `${status} · ${attempt.workflow.name} ${sessionText(attempt.sessionTime)}` : `Attempt ${id}`);
  useCrumbs([{ text: "Sessions", to: "/sessions" }, ...(attempt ? [{ text: attempt.workflow.name }] : []), { text: `Attempt ${id}` }]);

  // Events tell the status at once; counts, causes and the estimate are read again, at most every two seconds.
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const reread = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: ["attempt", id] });
    }, 2000);
  }, [queries, id]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useTopic(`attempt:${id}`, (frames) => {
    for (const frame of frames) {
      if (frame.name === "attempt") {
        const { status: word, done, success, cancelRequested, finishedAt } = frame.data as AttemptItem;
        queries.setQueryData<AttemptSummary>(
          ["attempt", id],
          (before) => before && { ...before, status: word, done, success, cancelRequested, finishedAt: before.finishedAt ?? finishedAt },
        );
        if (done) void queries.invalidateQueries({ queryKey: ["attempt", id] });
      }
    }
    reread();
  });
  useMissed(() => void queries.invalidateQueries({ queryKey: ["attempt", id] }));

  // A newer attempt of the session is offered, or followed where the page is that of the session.
  const [newer, setNewer] = useState<string | undefined>();
  useTopic(attempt ? `workflow:${attempt.project.id}/${attempt.workflow.name}` : undefined, (frames) => {
    for (const frame of frames) {
      const other = frame.data as AttemptItem;
      if (frame.name !== "attempt" || other.sessionId !== attempt?.sessionId || Number(other.id) <= Number(id)) continue;
      if (pinned || search.task) setNewer(other.id);
      else void queries.invalidateQueries({ queryKey: ["session", attempt.sessionId] });
    }
  });

  const [dialog, setDialog] = useState<{ kind: "retry"; mode: RetryMode; task: string | undefined } | { kind: "kill" } | undefined>();
  const selected = useRef<string | undefined>(undefined); // full name
  const retry = useCallback((task?: string) => {
    const name = task ?? selected.current;
    setDialog({ kind: "retry", mode: name ? "from" : "failed", task: name });
  }, []);
  const may = (verb: string) => attempt?.can.includes(verb) ?? false;
  const actions = [
    ...(may("RunWorkflow") ? [{ title: `Retry attempt ${id}…`, keys: "r", run: () => retry() }] : []),
    ...(may("KillAttempt") && attempt && !attempt.done
      ? [{ title: `Kill attempt ${id}…`, keys: "Shift+K", run: () => setDialog({ kind: "kill" as const }) }]
      : []),
  ];
  useActions(actions);
  useShortcuts(
    "Attempt",
    actions.map(({ title, keys, run }) => ({ keys, about: title, run })),
  );

  if (isGone(found.error)) return <Gone what={`attempt ${id}`} error={found.error} />;
  if (found.error && !attempt) return <Failure what={`read attempt ${id}`} error={found.error} retry={() => void found.refetch()} />;
  if (!attempt) return <Loading what="the attempt" rows={12} />;
  return (
    <div className={css.page}>
      <AttemptHead attempt={attempt} zone={zone} frozen={frozen} onRetry={() => retry()} onKill={() => setDialog({ kind: "kill" })} />
      <AttemptStrip attempt={attempt} />
      {newer && (
        <p className={css.newer} role="status">
          Attempt {newer} of this session is newer ·{" "}
          <Link to="/attempts/$id" params={{ id: newer }}>
            show it
          </Link>
        </p>
      )}
      <AttemptCauses
        causes={attempt.rootCauses}
        selected={search.task}
        onOpen={(task) => set({ task, tab: "log", line: undefined, try: undefined }, true)}
      />
      <AttemptTasks
        attempt={attempt}
        search={search}
        set={set}
        zone={zone}
        frozen={frozen}
        onName={(name) => {
          selected.current = name;
        }}
        onRetry={may("RunWorkflow") ? retry : undefined}
      />
      {dialog?.kind === "retry" && (
        <RetryDialog
          attempt={id}
          task={dialog.task}
          mode={dialog.mode}
          latest={attempt.latestRevision === attempt.revision}
          onClose={() => setDialog(undefined)}
          onStarted={(started) => {
            setDialog(undefined);
            void navigate({ to: "/attempts/$id", params: { id: started } });
          }}
        />
      )}
      {dialog?.kind === "kill" && (
        <KillDialog
          attempt={id}
          onClose={() => setDialog(undefined)}
          onKilled={() => {
            setDialog(undefined);
            void queries.invalidateQueries({ queryKey: ["attempt", id] });
          }}
        />
      )}
    </div>
  );
}
