import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { get } from "../api/call";
import { type AttemptItem, statusOf } from "../api/shapes";
import { useCrumbs } from "../base/crumbs";
import { Failure, Gone, isGone, Loading } from "../base/Notice";
import { usePrefs } from "../base/prefs";
import { useTitle } from "../base/title";
import { Mark } from "../state/Mark";
import { sessionText, zoneOfSession } from "../time/format";
import { Length, SessionTime, Wall } from "../time/Wall";
import css from "./Attempt.module.css";

const attemptRoute = getRouteApi("/attempts/$id");
const sessionRoute = getRouteApi("/sessions/$id");

/** An attempt, by its own id. */
export function AttemptPage() {
  const { id } = attemptRoute.useParams();
  return <Attempt id={id} />;
}

interface Session {
  readonly lastAttempt: { readonly id: string } | null;
}

/** A session: its newest attempt. */
export function SessionPage() {
  const { id } = sessionRoute.useParams();
  const found = useQuery({
    queryKey: ["session", id],
    queryFn: ({ signal }) => get<Session>(`api/sessions/${encodeURIComponent(id)}`, {}, signal),
  });
  if (found.data?.lastAttempt) return <Attempt id={found.data.lastAttempt.id} />;
  if (isGone(found.error)) return <Gone what={`session ${id}`} error={found.error} />;
  if (found.error) return <Failure what={`read session ${id}`} error={found.error} retry={() => void found.refetch()} />;
  return <Loading what="the session" />;
}

function Attempt({ id }: { readonly id: string }) {
  const found = useQuery({
    queryKey: ["attempt", id],
    queryFn: ({ signal }) => get<AttemptItem>(`api/attempts/${encodeURIComponent(id)}`, {}, signal),
  });
  const attempt = found.data;
  const { zone } = usePrefs();
  useTitle(attempt ? `${statusOf(attempt)} · ${attempt.workflow.name} ${sessionText(attempt.sessionTime)}` : `Attempt ${id}`);
  useCrumbs([{ text: "Sessions", to: "/sessions" }, { text: attempt ? `${attempt.workflow.name} · attempt ${id}` : `Attempt ${id}` }]);
  if (isGone(found.error)) return <Gone what={`attempt ${id}`} error={found.error} />;
  if (found.error) return <Failure what={`read attempt ${id}`} error={found.error} retry={() => void found.refetch()} />;
  if (!attempt) return <Loading what="the attempt" />;
  return (
    <header className={css.head}>
      <h1>
        <Mark state={statusOf(attempt)} word size={18} /> {attempt.workflow.name} <SessionTime at={attempt.sessionTime} />
      </h1>
      <p>
        Started <Wall at={attempt.createdAt} zone={zone} workflow={zoneOfSession(attempt.sessionTime)} />, took{" "}
        <Length from={attempt.createdAt} to={attempt.finishedAt} />
      </p>
    </header>
  );
}
