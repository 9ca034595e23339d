import { type AttemptItem, statusOf } from "../api/shapes";
import { useList } from "../base/list";
import { Empty } from "../base/Notice";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { Mark } from "../state/Mark";
import { type ZoneChoice, zoneOfSession } from "../time/format";
import { Length, SessionTime, Wall } from "../time/Wall";

const columns = (zone: ZoneChoice): Column<AttemptItem>[] => [
  { key: "session", title: "Session time", width: 210, narrow: 180, cell: (row) => <SessionTime at={row.sessionTime} /> },
  { key: "status", title: "Status", width: 110, narrow: 100, cell: (row) => <Mark state={statusOf(row)} word /> },
  { key: "workflow", title: "Workflow", cell: (row) => row.workflow.name },
  {
    key: "started",
    title: "Started",
    width: 220,
    cell: (row) => <Wall at={row.createdAt} zone={zone} workflow={zoneOfSession(row.sessionTime)} />,
  },
  { key: "took", title: "Took", width: 110, end: true, cell: (row) => <Length from={row.createdAt} to={row.finishedAt} /> },
  { key: "attempt", title: "Attempt", width: 90, end: true, cell: (row) => row.id },
  { key: "name", title: "Name", width: 160, cell: (row) => row.retryAttemptName },
];

interface SessionListProps {
  readonly project: string; // name
  readonly workflow?: string;
  readonly chosen: string | undefined;
  readonly onChoose: (key: string) => void;
}

/** The sessions of a project or workflow with their last attempts, the newest first. */
export function SessionList({ project, workflow, chosen, onChoose }: SessionListProps) {
  const { zone } = usePrefs();
  const list = useList<AttemptItem>("api/search/attempts", { unit: "session", project, workflow });
  return (
    <Table
      what="sessions"
      list={list}
      columns={columns(zone).filter((column) => column.key !== "workflow" || !workflow)}
      rowKey={(row) => row.id}
      target={(row) => ({ to: "/attempts/$id", params: { id: row.id } })}
      chosen={chosen}
      onChoose={onChoose}
      empty={<Empty title="Nothing has run yet" command={`trowel start ${project} ${workflow ?? "WORKFLOW"} --session now`} />}
    />
  );
}
