import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { change, get } from "../api/call";
import type { Decision, Schedule as Item, ScheduledRun, ScheduledRuns } from "../api/operate";
import { useActions } from "../base/actions";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { useList, wholeList } from "../base/list";
import { useMay } from "../base/me";
import { Failure, Gone, isGone, Loading } from "../base/Notice";
import { Facts, Note, Page, Part } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { ActionDialog } from "../forms/ActionDialog";
import { BackfillDialog } from "../forms/BackfillDialog";
import { EnableDialog } from "../forms/EnableDialog";
import { SkipDialog } from "../forms/SkipDialog";
import { WhySession } from "../forms/WhySession";
import { useReread } from "../live/reread";
import { Mark } from "../state/Mark";
import type { ZoneChoice } from "../time/format";
import { SessionTime, Wall } from "../time/Wall";

const route = getRouteApi("/schedules/$id");

const looks: Readonly<Record<string, string>> = { started: "success", skipped: "skipped", postponed: "retry_waiting", error: "error" };

const runColumns = (zone: ZoneChoice, timezone: string): Column<ScheduledRun>[] => [
  { key: "session", title: "Session time", width: 220, narrow: 172, cell: (row) => <SessionTime at={row.sessionTime} zone={timezone} /> },
  { key: "run", title: "Starts", width: 240, cell: (row) => <Wall at={row.runTime} zone={zone} workflow={timezone} /> },
  { key: "shift", title: "Clock", narrow: 0, cell: (row) => row.shift && <b>clocks change by {row.shift} before it</b> },
];

const decisionColumns = (zone: ZoneChoice, timezone: string): Column<Decision>[] => [
  { key: "session", title: "Session time", width: 220, narrow: 180, cell: (row) => <SessionTime at={row.sessionTime} zone={timezone} /> },
  {
    key: "decision",
    title: "Decision",
    width: 130,
    cell: (row) => <Mark state={looks[row.decision] ?? "blocked"} label={row.decision} />,
  },
  { key: "at", title: "Decided", width: 220, cell: (row) => <Wall at={row.at} zone={zone} workflow={timezone} /> },
  {
    key: "attempt",
    title: "Attempt",
    width: 90,
    cell: (row) =>
      row.attempt && (
        <Link to="/attempts/$id" params={{ id: row.attempt }}>
          {row.attempt}
        </Link>
      ),
  },
  {
    key: "text",
    title: "Why",
    cell: (row) => (
      <span title={row.text}>
        {row.text}
        {row.code && <span className="quiet"> {row.code}</span>}
      </span>
    ),
  },
];

/** A schedule: its next sessions, and what became of those of the past. */
export function Schedule() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/schedules/$id" });
  const queries = useQueryClient();
  const { zone } = usePrefs();
  const [dialog, setDialog] = useState<"skip" | "enable" | "disable" | "backfill">();
  const path = `api/schedules/${encodeURIComponent(id)}`;
  const found = useQuery({ queryKey: [path], queryFn: ({ signal }) => get<Item>(path, {}, signal) });
  const next = useQuery({ queryKey: [path, "next"], queryFn: ({ signal }) => get<ScheduledRuns>(`${path}/next`, { count: 500 }, signal) });
  const decisions = useList<Decision>(`${path}/decisions`);
  const schedule = found.data;
  const runs = next.data;
  const may = useMay(schedule?.project.id);
  const [many, setMany] = useState(6);

  const reread = () => {
    void queries.invalidateQueries({ queryKey: [path] });
    void queries.invalidateQueries({ queryKey: [`${path}/decisions`] });
  };
  useReread("schedules", reread);
  useTitle(schedule ? `${schedule.disabledAt ? "disabled" : "enabled"} · schedule of ${schedule.workflow.name}` : `Schedule ${id}`);
  useCrumbs([
    { text: "Schedules", to: "/schedules" },
    { text: schedule ? `${schedule.project.name} · ${schedule.workflow.name}` : `Schedule ${id}` },
  ]);

  const buttons: { readonly key: "skip" | "enable" | "disable" | "backfill"; readonly title: string }[] = [];
  if (schedule && runs) {
    if (may("SkipSchedule")) buttons.push({ key: "skip", title: "Skip…" });
    if (may("BackfillSchedule")) buttons.push({ key: "backfill", title: "Backfill…" });
    if (schedule.disabledAt && may("EnableSchedule")) buttons.push({ key: "enable", title: "Enable…" });
    if (!schedule.disabledAt && may("DisableSchedule")) buttons.push({ key: "disable", title: "Disable…" });
  }
  useActions(buttons.map((button) => ({ title: button.title, run: () => setDialog(button.key) })));

  if (isGone(found.error)) return <Gone what={`schedule ${id}`} error={found.error} />;
  if (found.error) return <Failure what={`read schedule ${id}`} error={found.error} retry={() => void found.refetch()} />;
  if (!schedule) return <Loading what="the schedule" />;
  const timezone = runs?.timezone ?? "UTC";
  const shown = wholeList(runs?.items.slice(0, many), next);
  return (
    <Page
      flow
      title={schedule.workflow.name}
      label={`Schedule of ${schedule.workflow.name}`}
      head={<span className="quiet">{schedule.project.name}</span>}
      actions={
        buttons.length > 0 &&
        buttons.map((button) => (
          <Button key={button.key} onClick={() => setDialog(button.key)}>
            {button.title}
          </Button>
        ))
      }
    >
      {schedule.disabledAt && (
        <Note>
          Disabled since <Wall at={schedule.disabledAt} zone={zone} workflow={timezone} />: nothing starts until somebody enables it.
        </Note>
      )}
      <Facts
        list={[
          ["Next session", <SessionTime key="s" at={schedule.nextScheduleTime} />],
          ["It starts", <Wall key="r" at={schedule.nextRunTime} zone={zone} workflow={timezone} />],
          ["Zone of the workflow", timezone],
          [
            "Workflow",
            <Link key="w" to="/projects/$id/workflows/$name" params={{ id: schedule.project.id, name: schedule.workflow.name }}>
              {schedule.workflow.name}
            </Link>,
          ],
        ]}
      />
      <Part title="Why no session?" beside={<span className="quiet">Ask about any session time.</span>}>
        <WhySession
          key={`${timezone} ${search.why}`}
          project={schedule.project.id}
          workflow={schedule.workflow.name}
          zone={timezone}
          at={search.why}
          onAt={(why) => void navigate({ search: (before) => ({ ...before, why }) })}
        />
      </Part>
      <Part title="Next sessions">
        <Table
          flow
          what="sessions"
          list={{ ...shown, more: (runs?.items.length ?? 0) > many, readMore: () => setMany(many + 94) }}
          columns={runColumns(zone, timezone)}
          rowKey={(row) => row.sessionTime}
          empty="No session will come: the schedule is over."
        />
      </Part>
      <Part title="Decisions" beside={<span className="quiet">What became of each session, the newest first.</span>}>
        <Table
          flow
          what="decisions"
          list={decisions}
          columns={decisionColumns(zone, timezone)}
          rowKey={(row) => `${row.sessionTime} ${row.at} ${row.decision}`}
          empty="Nothing was decided yet: the first session is still to come."
        />
      </Part>
      {dialog === "skip" && runs && <SkipDialog schedule={schedule} runs={runs} onDone={reread} onClose={() => setDialog(undefined)} />}
      {dialog === "enable" && runs && <EnableDialog schedule={schedule} runs={runs} onDone={reread} onClose={() => setDialog(undefined)} />}
      {dialog === "backfill" && <BackfillDialog schedule={schedule} zone={timezone} onDone={reread} onClose={() => setDialog(undefined)} />}
      {dialog === "disable" && (
        <ActionDialog
          title={`Disable the schedule of ${schedule.workflow.name}`}
          what="disable the schedule"
          act="Disable"
          ready
          preview={
            <p>
              The session <SessionTime at={schedule.nextScheduleTime} /> and those after it will not start. What runs goes on. When the
              schedule is enabled again, you choose whether missed sessions start.
            </p>
          }
          onAct={async () => {
            await change("POST", `${path}/disable`);
            reread();
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Page>
  );
}
