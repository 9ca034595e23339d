import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { get } from "../api/call";
import type { Schedule } from "../api/operate";
import { type Definition, scheduleText } from "../api/project";
import { useActions } from "../base/actions";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { useShortcuts } from "../base/keys";
import { useMay } from "../base/me";
import { Failure, Gone, isGone, Loading } from "../base/Notice";
import { Facts, Note, Page, Tabs } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { useTitle } from "../base/title";
import { BackfillDialog } from "../forms/BackfillDialog";
import { SessionList } from "../forms/SessionList";
import { WhySession } from "../forms/WhySession";
import { useReread } from "../live/reread";
import { SessionTime, Wall } from "../time/Wall";
import { WorkflowDefinition } from "./WorkflowDefinition";
import { WorkflowPause } from "./WorkflowPause";

const route = getRouteApi("/projects/$id/workflows/$name");

const tabs = { sessions: "Sessions", definition: "Definition", why: "Why no session?" };

interface State {
  readonly paused: { readonly at: string; readonly by: string; readonly note: string } | null;
  readonly running: number;
  readonly waiting: number;
}

/** A workflow: its sessions, and how it is written. */
export function Workflow() {
  const { id, name } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/projects/$id/workflows/$name" });
  const queries = useQueryClient();
  const { zone } = usePrefs();
  const may = useMay(id);
  const [dialog, setDialog] = useState<"pause" | "backfill">();
  const path = `api/projects/${encodeURIComponent(id)}/workflows/${encodeURIComponent(name)}`;
  const found = useQuery({
    queryKey: [path, search.revision],
    queryFn: ({ signal }) => get<Definition>(path, { revision: search.revision }, signal),
  });
  const state = useQuery({ queryKey: [path, "pause"], queryFn: ({ signal }) => get<State>(`${path}/pause`, {}, signal) });
  const schedules = useQuery({
    queryKey: [path, "schedule"],
    queryFn: ({ signal }) => get<{ readonly schedules: readonly Schedule[] }>(`api/projects/${id}/schedules`, { workflow: name }, signal),
  });
  const reread = () => {
    void queries.invalidateQueries({ queryKey: [path] });
    void queries.invalidateQueries({ queryKey: ["api/search/attempts"] });
  };
  useReread(`workflow:${id}/${name}`, reread);
  const workflow = found.data;
  const schedule = schedules.data?.schedules[0];
  const paused = state.data?.paused;
  const tab = search.tab && search.tab in tabs ? (search.tab as keyof typeof tabs) : search.why ? "why" : "sessions";
  useTitle(paused ? "paused" : undefined, name, workflow?.project.name);
  useCrumbs([
    { text: "Projects", to: "/projects" },
    { text: workflow?.project.name ?? `Project ${id}`, to: `/projects/${id}` },
    { text: name },
  ]);
  const canRun = may("RunWorkflow");
  const canPause = Boolean(state.data) && may(paused ? "EnableSchedule" : "DisableSchedule");
  const canFill = Boolean(schedule) && may("BackfillSchedule");
  const run = () => void navigate({ to: "/projects/$id/workflows/$name/run", params: { id, name }, search: { revision: search.revision } });
  const pauseTitle = paused ? "Resume…" : "Pause…";
  useActions([
    ...(canRun ? [{ title: `Run ${name}…`, keys: "r", run }] : []),
    ...(canFill ? [{ title: `Backfill ${name}…`, run: () => setDialog("backfill") }] : []),
    ...(canPause ? [{ title: paused ? `Resume ${name}…` : `Pause ${name}…`, run: () => setDialog("pause") }] : []),
  ]);
  useShortcuts(`Workflow ${name}`, canRun ? [{ keys: "r", about: "run it: choose session time and parameters", run }] : []);
  if (isGone(found.error)) return <Gone what={`workflow ${name} in this project`} error={found.error} />;
  if (found.error) return <Failure what={`read workflow ${name}`} error={found.error} retry={() => void found.refetch()} />;
  if (!workflow) return <Loading what="the workflow" />;
  return (
    <Page
      flow={tab === "why"}
      title={name}
      label={`Workflow ${name}`}
      head={
        <Link to="/projects/$id" params={{ id }} className="quiet">
          {workflow.project.name}
        </Link>
      }
      actions={
        <>
          {canRun && (
            <Button look="main" onClick={run}>
              Run…
            </Button>
          )}
          {canFill && <Button onClick={() => setDialog("backfill")}>Backfill…</Button>}
          {canPause && <Button onClick={() => setDialog("pause")}>{pauseTitle}</Button>}
        </>
      }
    >
      {paused && (
        <Note>
          Paused by {paused.by} since <Wall at={paused.at} zone={zone} workflow={workflow.timezone} />
          {paused.note && <>: {paused.note}</>}
        </Note>
      )}
      {search.revision && (
        <Note>
          This is revision {search.revision}.{" "}
          <Link to="/projects/$id/workflows/$name" params={{ id, name }} search={{ tab: search.tab }}>
            Show the newest one
          </Link>
        </Note>
      )}
      <Facts
        list={[
          ["Revision", workflow.revision],
          ["Zone", workflow.timezone],
          ["Schedule", scheduleText(workflow.config) || "none"],
          [
            "Next session",
            schedule && (
              <Link key="n" to="/schedules/$id" params={{ id: schedule.id }}>
                {schedule.disabledAt ? "disabled" : <SessionTime at={schedule.nextScheduleTime} />}
              </Link>
            ),
          ],
          [
            "It starts",
            schedule && !schedule.disabledAt && <Wall key="s" at={schedule.nextRunTime} zone={zone} workflow={workflow.timezone} />,
          ],
          ["Running", state.data?.running],
          ["Waiting to begin", state.data?.waiting ? state.data.waiting : undefined],
        ]}
      />
      <div style={{ blockSize: 12, flex: "none" }} />
      <Tabs
        label="Parts of the workflow"
        list={tabs}
        at={tab}
        target={(to) => ({
          to: "/projects/$id/workflows/$name",
          params: { id, name },
          search: { tab: to, revision: search.revision, why: to === "why" ? search.why : undefined },
        })}
      />
      {tab === "sessions" && (
        <SessionList
          project={workflow.project.name}
          workflow={name}
          chosen={search.at}
          onChoose={(at) => void navigate({ search: (before) => ({ ...before, at }), replace: true })}
        />
      )}
      {tab === "definition" && <WorkflowDefinition project={id} workflow={workflow} />}
      {tab === "why" && (
        <div style={{ paddingBlockStart: 12 }}>
          <WhySession
            key={search.why}
            project={id}
            workflow={name}
            zone={workflow.timezone}
            at={search.why}
            onAt={(why) => void navigate({ search: (before) => ({ ...before, why }) })}
          />
        </div>
      )}
      {dialog === "pause" && state.data && (
        <WorkflowPause
          path={path}
          name={name}
          paused={Boolean(paused)}
          waiting={state.data.waiting}
          onDone={reread}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "backfill" && schedule && (
        <BackfillDialog schedule={schedule} zone={workflow.timezone} onDone={reread} onClose={() => setDialog(undefined)} />
      )}
    </Page>
  );
}
