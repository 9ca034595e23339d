import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { get } from "../api/call";
import type { SessionWhy } from "../api/operate";
import { Button } from "../base/Button";
import { CopyButton } from "../base/CopyButton";
import { Failure, Loading } from "../base/Notice";
import { usePrefs } from "../base/prefs";
import { sessionIn } from "../time/format";
import { instantText, takenInstant } from "../time/instants";
import { Wall } from "../time/Wall";
import { TimeField } from "./TimeField";
import css from "./WhySession.module.css";

interface WhySessionProps {
  readonly project: string; // id
  readonly workflow: string;
  readonly zone: string;
  readonly at: string | undefined; // the instant of the session time that is asked about
  readonly onAt: (at: string | undefined) => void;
}

/** Says why a session has no attempt. */
export function WhySession({ project, workflow, zone, at, onAt }: WhySessionProps) {
  const [text, setText] = useState(() => (at ? sessionIn(at, zone).replace(/ \S+$/, "") : ""));
  const { zone: choice } = usePrefs();
  const found = useQuery({
    queryKey: ["why", project, workflow, at],
    queryFn: ({ signal }) =>
      get<SessionWhy>(`api/projects/${project}/workflows/${encodeURIComponent(workflow)}/why`, { sessionTime: at }, signal),
    enabled: at !== undefined,
    staleTime: 0,
  });
  const taken = takenInstant(text, zone);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    if (taken) onAt(instantText(taken.ms));
  };
  const why = found.data;
  return (
    <div className={css.why}>
      <form className={css.ask} onSubmit={ask}>
        <TimeField title="Session time" zone={zone} value={text} onValue={setText} />
        <Button type="submit" disabled={!taken}>
          Why no session?
        </Button>
      </form>
      {at && found.error && <Failure compact what="find the reason" error={found.error} retry={() => void found.refetch()} />}
      {at && found.isPending && <Loading what="the reason" rows={2} />}
      {why && (
        <div className={css.answer}>
          <p className={css.text}>
            {sessionIn(why.sessionTime, zone)}: {why.text}
          </p>
          <p className="quiet">
            {why.code}
            {why.since && (
              <>
                {why.code && " · "}since <Wall at={why.since} zone={choice} workflow={zone} />
              </>
            )}
            {why.next.at && (
              <>
                {" "}
                · it will be tried <Wall at={why.next.at} zone={choice} workflow={zone} />
              </>
            )}
          </p>
          {why.attempt && (
            <p>
              <Link to="/attempts/$id" params={{ id: why.attempt }}>
                Open attempt {why.attempt}
              </Link>
            </p>
          )}
          {why.offers.length > 0 && (
            <>
              <h3>What can be done</h3>
              <ul>
                {why.offers.map((offer) => (
                  <li key={offer.label} className={css.offer}>
                    <code>{offer.label}</code>
                    {offer.allowed ? <CopyButton text={offer.label} /> : <span className="quiet">your role does not allow it</span>}
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </div>
  );
}
