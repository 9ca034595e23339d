import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { X } from "lucide-react";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { change, get, getText } from "../api/call";
import { CallError } from "../api/error";
import type { Definition } from "../api/project";
import type { AttemptItem } from "../api/shapes";
import { Button } from "../base/Button";
import { Choice } from "../base/Choice";
import { useCrumbs } from "../base/crumbs";
import { Field } from "../base/Field";
import { useMay } from "../base/me";
import { Empty, Failure, Gone, isGone, Loading } from "../base/Notice";
import { Note, Page } from "../base/Page";
import { useTitle } from "../base/title";
import { type Pair, pairsOf, readJson, usedNames, type Values, valuesOf } from "../forms/params";
import { useSettled } from "../forms/preview";
import { TimeField } from "../forms/TimeField";
import { serverNow } from "../time/clock";
import { sessionText, wallOf } from "../time/format";
import { instantText, takenInstant } from "../time/instants";
import css from "./Workflow.module.css";

const route = getRouteApi("/projects/$id/workflows/$name/run");

/** Starts a workflow: at which session time, and with which parameters. */
export function WorkflowRun() {
  const { id, name } = route.useParams();
  const search = route.useSearch();
  const may = useMay(id);
  const path = `api/projects/${encodeURIComponent(id)}/workflows/${encodeURIComponent(name)}`;
  const found = useQuery({
    queryKey: [path, search.revision],
    queryFn: ({ signal }) => get<Definition>(path, { revision: search.revision }, signal),
  });
  const workflow = found.data;
  const source = useQuery({
    queryKey: [`api/projects/${id}/files/text`, workflow?.revision, `${name}.dig`],
    queryFn: ({ signal }) =>
      getText(`api/projects/${id}/files/content`, { revision: workflow?.revision ?? "", path: `${name}.dig` }, signal),
    enabled: workflow !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const before = useQuery({
    queryKey: ["attempt", search.from],
    queryFn: ({ signal }) => get<AttemptItem>(`api/attempts/${encodeURIComponent(search.from ?? "")}`, {}, signal),
    enabled: search.from !== undefined,
  });
  useTitle("Run", name, workflow?.project.name);
  useCrumbs([
    { text: "Projects", to: "/projects" },
    { text: workflow?.project.name ?? `Project ${id}`, to: `/projects/${id}` },
    { text: name, to: `/projects/${id}/workflows/${encodeURIComponent(name)}` },
    { text: "Run" },
  ]);
  if (isGone(found.error)) return <Gone what={`workflow ${name} in this project`} error={found.error} />;
  if (found.error) return <Failure what={`read workflow ${name}`} error={found.error} retry={() => void found.refetch()} />;
  if (before.error) return <Failure what={`read attempt ${search.from}`} error={before.error} retry={() => void before.refetch()} />;
  if (!workflow || source.isPending || (search.from !== undefined && before.isPending)) return <Loading what="the form" rows={10} />;
  return (
    <Page flow title={`Run ${name}`} label={`Run ${name}`} head={<span className="quiet">revision {workflow.revision}</span>}>
      {may("RunWorkflow") ? (
        <RunForm key={`${workflow.id} ${search.from}`} workflow={workflow} source={source.data?.text ?? ""} before={before.data} />
      ) : (
        <Empty title="You may not run it" command={`trowel start ${workflow.project.name} ${name} --session now`}>
          <p>Your role may read alone. Send the command to somebody who may run workflows of {workflow.project.name}.</p>
        </Empty>
      )}
    </Page>
  );
}

interface RunFormProps {
  readonly workflow: Definition;
  readonly source: string; // of its file
  readonly before: AttemptItem | undefined; // whose values are taken
}

type When = "now" | "hour" | "day" | "schedule" | "given";

/** Values that the workflow sets itself for all its tasks, so that those of a start do not reach them. */
function exported(config: Values): ReadonlySet<string> {
  const all = config._export;
  return new Set(typeof all === "object" && all !== null ? Object.keys(all) : []);
}

function RunForm({ workflow, source, before }: RunFormProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const zone = workflow.timezone;
  const scheduled = Boolean(workflow.config.schedule);
  const [when, setWhen] = useState<When>(before ? "given" : "now");
  const [given, setGiven] = useState(() => {
    const wall = wallOf(before ? Date.parse(before.sessionTime) : serverNow(), zone);
    return `${wall.date} ${wall.time}`;
  });
  const [name, setName] = useState(() =>
    before ? `again-${wallOf(serverNow(), "UTC").date}-${wallOf(serverNow(), "UTC").time.replaceAll(":", "")}` : "",
  );
  const [pairs, setPairs] = useState<readonly Pair[]>(() => {
    if (before) return pairsOf(before.params);
    return usedNames(source).map((key) => ({ key, value: "" }));
  });
  const [json, setJson] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [there, setThere] = useState<AttemptItem>();
  const [busy, setBusy] = useState(false);
  const nameField = useRef<HTMLInputElement>(null);

  const typed = valuesOf(pairs.filter((pair) => pair.key.trim() !== "" || pair.value !== ""));
  const read: { readonly values?: Values; readonly wrong?: string } = json === undefined ? { values: typed.values } : readJson(json);
  const wrong = json === undefined ? Object.keys(typed.wrong).length > 0 : read.wrong !== undefined;
  const values = read.values ?? {};
  const lost = useMemo(() => exported(workflow.config), [workflow.config]);
  const overridden = Object.keys(values).filter((key) => lost.has(key));
  const empty = json === undefined ? pairs.filter((pair) => pair.key.trim() !== "" && pair.value === "").map((pair) => pair.key) : [];

  const taken = takenInstant(given, zone);
  const from = useSettled(when === "given" ? (taken ? instantText(taken.ms) : undefined) : undefined);
  const mode = when === "hour" || when === "day" || when === "schedule" ? when : undefined;
  const truncated = useQuery({
    queryKey: ["truncated", workflow.id, mode],
    queryFn: ({ signal }) =>
      get<{ readonly sessionTime: string }>(
        `api/workflows/${workflow.id}/truncated_session_time`,
        { session_time: instantText(serverNow()), mode },
        signal,
      ),
    enabled: mode !== undefined,
    staleTime: 60_000,
    retry: false,
  });
  const session = mode ? truncated.data?.sessionTime : when === "given" ? from : "now";
  const shown =
    session === "now" || session === undefined
      ? session
      : mode
        ? sessionText(session)
        : `${wallOf(Date.parse(session), zone).date} ${wallOf(Date.parse(session), zone).time} ${wallOf(Date.parse(session), zone).offset}`;
  const ready = session !== undefined && !wrong && !busy;

  const start = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    setBusy(true);
    setError(undefined);
    setThere(undefined);
    try {
      const made = await change<AttemptItem>("PUT", "api/attempts", {
        workflowId: workflow.id,
        sessionTime: session === "now" ? instantText(serverNow()) : session,
        params: values,
        ...(name.trim() === "" ? {} : { retryAttemptName: name.trim() }),
      });
      void queries.invalidateQueries({ queryKey: ["api/search/attempts"] });
      if (made) void navigate({ to: "/attempts/$id", params: { id: made.id } });
    } catch (caught) {
      const attempt = conflictOf(caught);
      if (attempt) setThere(attempt);
      else setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const put = (at: number, changed: Partial<Pair>) => setPairs(pairs.map((pair, i) => (i === at ? { ...pair, ...changed } : pair)));
  const choices: Record<string, string> = { now: "Now", hour: "This hour", day: "Today" };
  if (scheduled) choices.schedule = "Last of the schedule";
  choices.given = "Given";
  return (
    <form
      className={css.form}
      onSubmit={start}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      {before && (
        <p className="quiet">
          With the values of{" "}
          <Link to="/attempts/$id" params={{ id: before.id }}>
            attempt {before.id}
          </Link>
          .
        </p>
      )}
      <h2>Session time</h2>
      <Choice bare title="Session time" value={when} choices={choices as Record<When, string>} onChange={setWhen} />
      {when === "given" && <TimeField title="Session time" zone={zone} value={given} onValue={setGiven} />}
      {truncated.error && mode && <Failure compact what="find that session time" error={truncated.error} />}
      <Field
        ref={nameField}
        title="Name of the attempt"
        value={name}
        onValue={setName}
        placeholder="none"
        about="Needed when the session has an attempt without a name already."
      />
      <h2>Parameters</h2>
      <Choice
        bare
        title="Form of the parameters"
        value={json === undefined ? "fields" : "json"}
        choices={{ fields: "Fields", json: "JSON" }}
        onChange={(form) => {
          if (form === "json") setJson(JSON.stringify(typed.values, null, 2));
          else if (read.values) {
            setPairs(pairsOf(read.values));
            setJson(undefined);
          }
        }}
      />
      {json === undefined ? (
        <div style={{ marginBlockStart: 8 }}>
          {pairs.map((pair, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pairs are known by their places alone
            <div key={i} className={css.pair}>
              <input
                aria-label={`Name of parameter ${i + 1}`}
                value={pair.key}
                spellCheck={false}
                onChange={(event) => put(i, { key: event.target.value })}
              />
              <input
                aria-label={`Value of ${pair.key || `parameter ${i + 1}`}`}
                value={pair.value}
                spellCheck={false}
                onChange={(event) => put(i, { value: event.target.value })}
              />
              <Button
                look="bare"
                aria-label={`Remove ${pair.key || `parameter ${i + 1}`}`}
                onClick={() => setPairs(pairs.filter((_, n) => n !== i))}
              >
                <X size={14} aria-hidden="true" />
              </Button>
              {typed.wrong[i] && <span className={css.wrong}>{typed.wrong[i]}</span>}
            </div>
          ))}
          <p style={{ marginBlockStart: 8 }}>
            <Button onClick={() => setPairs([...pairs, { key: "", value: "" }])}>Add a parameter</Button>
          </p>
          <p className="quiet">Numbers, true, false, null, lists and objects are taken as JSON, everything else as text.</p>
        </div>
      ) : (
        <>
          <textarea
            className={css.json}
            aria-label="Parameters as JSON"
            value={json}
            spellCheck={false}
            onChange={(event) => setJson(event.target.value)}
          />
          {read.wrong && (
            <p className={css.wrong} role="status">
              {read.wrong}
            </p>
          )}
        </>
      )}
      <section className={css.what} aria-label="What will happen" aria-live="polite">
        {shown === undefined ? (
          <p className="quiet">Choose a session time.</p>
        ) : (
          <p>
            {workflow.name} of {workflow.project.name} starts at once, in revision {workflow.revision}, for the session{" "}
            <b>{shown === "now" ? "of the moment in which you press Start" : shown}</b>
            {name.trim() !== "" && (
              <>
                {" "}
                as <b>{name.trim()}</b>
              </>
            )}
            .
          </p>
        )}
        {empty.length > 0 && (
          <p>These parameters are sent as empty texts: {empty.join(", ")}. Remove them if the workflow sets them itself.</p>
        )}
        {overridden.length > 0 && <p>The workflow exports {overridden.join(", ")} itself: its tasks see that value, not yours.</p>}
      </section>
      {there && (
        <Note>
          <p>
            The session {sessionText(there.sessionTime)} has attempt {there.id}
            {there.retryAttemptName ? ` named ${there.retryAttemptName}` : ""} already. Nothing was started.
          </p>
          <p className={css.foot} style={{ marginBlock: "8px 0" }}>
            <Link to="/attempts/$id" params={{ id: there.id }}>
              Open attempt {there.id}
            </Link>
            <Button
              onClick={() => {
                setName(`retry-${wallOf(serverNow(), "UTC").date}-${wallOf(serverNow(), "UTC").time.replaceAll(":", "")}`);
                setThere(undefined);
                nameField.current?.focus();
              }}
            >
              Start it under a name
            </Button>
            <Button
              onClick={() => {
                setWhen("given");
                setThere(undefined);
              }}
            >
              Choose another session time
            </Button>
          </p>
        </Note>
      )}
      {error !== undefined && <Failure compact what={`start ${workflow.name}`} error={error} />}
      <p className={css.foot}>
        <Button type="submit" look="main" disabled={!ready} title="Ctrl+Enter">
          Start {workflow.name}
        </Button>
      </p>
    </form>
  );
}

/** The attempt that is there already, if that is why a start was refused. */
function conflictOf(error: unknown): AttemptItem | undefined {
  if (!(error instanceof CallError) || error.status !== 409) return undefined;
  try {
    const attempt = JSON.parse(error.text) as Partial<AttemptItem>;
    return typeof attempt.id === "string" && typeof attempt.sessionTime === "string" ? (attempt as AttemptItem) : undefined;
  } catch {
    return undefined;
  }
}
