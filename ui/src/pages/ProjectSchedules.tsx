import type { Schedule } from "../api/operate";
import { useDigdagList } from "../base/list";
import { Empty } from "../base/Notice";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { useReread } from "../live/reread";
import { type ZoneChoice, zoneOfSession } from "../time/format";
import { SessionTime, Wall } from "../time/Wall";
import type { ProjectPart } from "./ProjectPart";

const columns = (zone: ZoneChoice): Column<Schedule>[] => [
  { key: "workflow", title: "Workflow", cell: (row) => row.workflow.name },
  { key: "session", title: "Next session", width: 200, narrow: 176, cell: (row) => <SessionTime at={row.nextScheduleTime} /> },
  {
    key: "run",
    title: "Starts",
    width: 230,
    cell: (row) => <Wall at={row.nextRunTime} zone={zone} workflow={zoneOfSession(row.nextScheduleTime)} />,
  },
  { key: "state", title: "State", width: 120, cell: (row) => (row.disabledAt ? "disabled" : "enabled") },
];

/** The schedules of a project. */
export function ProjectSchedules({ path, search, choose }: ProjectPart) {
  const { zone } = usePrefs();
  const list = useDigdagList<Schedule>(`${path}/schedules`, "schedules");
  useReread("schedules", list.retry);
  return (
    <Table
      what="schedules"
      list={list}
      columns={columns(zone)}
      rowKey={(row) => row.id}
      target={(row) => ({ to: "/schedules/$id", params: { id: row.id } })}
      chosen={search.at}
      onChoose={(at) => choose({ at })}
      empty={<Empty title="No workflow of this project has a schedule" />}
    />
  );
}
