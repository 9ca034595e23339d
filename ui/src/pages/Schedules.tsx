import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import type { Schedule } from "../api/operate";
import { Button } from "../base/Button";
import { Choice } from "../base/Choice";
import { useCrumbs } from "../base/crumbs";
import { Filter } from "../base/Field";
import { useDigdagList } from "../base/list";
import { Empty } from "../base/Notice";
import { Page } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { useReread } from "../live/reread";
import { Mark } from "../state/Mark";
import { type ZoneChoice, zoneOfSession } from "../time/format";
import { SessionTime, Wall } from "../time/Wall";

const route = getRouteApi("/schedules");

const columns = (zone: ZoneChoice): Column<Schedule>[] => [
  { key: "workflow", title: "Workflow", cell: (row) => row.workflow.name },
  { key: "project", title: "Project", width: 180, narrow: 0, cell: (row) => row.project.name },
  { key: "session", title: "Next session", width: 190, narrow: 180, cell: (row) => <SessionTime at={row.nextScheduleTime} /> },
  {
    key: "run",
    title: "Starts",
    width: 220,
    cell: (row) => <Wall at={row.nextRunTime} zone={zone} workflow={zoneOfSession(row.nextScheduleTime)} />,
  },
  {
    key: "state",
    title: "State",
    width: 320,
    cell: (row) =>
      row.disabledAt ? (
        <Mark
          state="skipped"
          label={
            <>
              disabled since <Wall at={row.disabledAt} zone={zone} workflow={zoneOfSession(row.nextScheduleTime)} />
            </>
          }
        />
      ) : (
        "enabled"
      ),
  },
];

/** All schedules, with their next sessions. */
export function Schedules() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/schedules" });
  const queries = useQueryClient();
  const { zone } = usePrefs();
  useTitle("Schedules");
  useCrumbs([{ text: "Schedules" }]);
  const all = useDigdagList<Schedule>("api/schedules", "schedules");
  const filtered = Boolean(search.q || search.state);
  const rows = useMemo(() => {
    const words = (search.q ?? "").toLowerCase().split(/\s+/);
    return all.rows.filter((row) => {
      const text = `${row.project.name} ${row.workflow.name}`.toLowerCase();
      if (search.state && (search.state === "disabled") !== Boolean(row.disabledAt)) return false;
      return words.every((word) => text.includes(word));
    });
  }, [all.rows, search.q, search.state]);

  // The server does not filter schedules, so a filter reads them all.
  const { more, reading, readMore } = all;
  useEffect(() => {
    if (filtered && more && !reading) readMore();
  }, [filtered, more, reading, readMore]);
  const reread = () => void queries.invalidateQueries({ queryKey: ["api/schedules"] });
  useReread("schedules", reread);

  const set = (changed: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, at: undefined, ...changed }), replace: true });
  const clear = () => set({ q: undefined, state: undefined });
  return (
    <Page
      title="Schedules"
      label="Schedules"
      head={
        <>
          <Filter title="Project or workflow" value={search.q} onValue={(q) => set({ q })} />
          <Choice
            bare
            title="State"
            value={search.state ?? "all"}
            choices={{ all: "All", enabled: "Enabled", disabled: "Disabled" }}
            onChange={(state) => set({ state: state === "all" ? undefined : state })}
          />
          {filtered && (
            <Button look="bare" onClick={clear}>
              Clear filters
            </Button>
          )}
        </>
      }
    >
      <Table
        what="schedules"
        list={{ ...all, rows }}
        columns={columns(zone)}
        rowKey={(row) => row.id}
        target={(row) => ({ to: "/schedules/$id", params: { id: row.id } })}
        chosen={search.at}
        onChoose={(at) => void navigate({ search: (before) => ({ ...before, at }), replace: true })}
        empty={
          filtered ? (
            <Empty title="No schedule fits these filters">
              <p>{all.rows.length} are hidden.</p>
              <Button onClick={clear}>Clear filters</Button>
            </Empty>
          ) : (
            <Empty title="No workflow has a schedule" command="trowel push PROJECT">
              <p>A workflow with `schedule:` in its file stands here after a push of its project.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
