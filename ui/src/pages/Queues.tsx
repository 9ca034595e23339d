import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback } from "react";
import type { Queue } from "../api/operate";
import { AsOf } from "../base/AsOf";
import { useCrumbs } from "../base/crumbs";
import { useList } from "../base/list";
import { Empty } from "../base/Notice";
import { Note, Page } from "../base/Page";
import { type Column, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { useReread } from "../live/reread";
import { duration } from "../time/duration";

const none = <span className="quiet">–</span>;
const length = (ms: number | null) => (ms === null ? none : duration(ms));

const columns: readonly Column<Queue>[] = [
  { key: "name", title: "Queue", cell: (row) => <b>{row.name}</b> },
  { key: "ready", title: "Ready", width: 80, narrow: 60, end: true, cell: (row) => row.ready || <span className="quiet">0</span> },
  { key: "running", title: "Running", width: 80, narrow: 70, end: true, cell: (row) => row.running || <span className="quiet">0</span> },
  {
    key: "agents",
    title: "Agents",
    width: 80,
    narrow: 60,
    end: true,
    cell: (row) => (
      <Link to="/agents" search={{ queue: row.name }}>
        {row.agents}
      </Link>
    ),
  },
  { key: "slots", title: "Slots", width: 90, end: true, cell: (row) => row.slots ?? "no limit" },
  { key: "oldest", title: "Oldest waits", width: 120, end: true, cell: (row) => length(row.oldestReadyMs) },
  { key: "p50", title: "Hand-off, half", width: 120, end: true, cell: (row) => length(row.p50Ms) },
  { key: "p99", title: "99 of 100", width: 110, end: true, cell: (row) => length(row.p99Ms) },
  { key: "rate", title: "Tasks a minute", width: 120, end: true, cell: (row) => (row.ratePerMin === null ? none : row.ratePerMin) },
];

/** Queues, with how fast tasks go to agents. */
export function Queues() {
  const queries = useQueryClient();
  useTitle("Queues");
  useCrumbs([{ text: "Queues" }]);
  const list = useList<Queue>("api/queues");
  const reread = useCallback(() => void queries.invalidateQueries({ queryKey: ["api/queues"] }), [queries]);
  useReread("site", reread);
  const deserted = list.rows.filter((queue) => queue.agents === 0 && queue.ready > 0);
  return (
    <Page
      title="Queues"
      label="Queues"
      head={
        <>
          <AsOf at={list.readAt} reading={list.pending} onRead={reread} />
          <span className="quiet">Hand-off is from ready to an agent, in the last 5 minutes.</span>
        </>
      }
    >
      {deserted.map((queue) => (
        <Note key={queue.name}>
          No agent serves queue <b>{queue.name}</b>: {queue.ready === 1 ? "1 task waits" : `${queue.ready} tasks wait`}. Start one with{" "}
          <code>agent.queues = {queue.name}</code>, or push the workflow with another <code>_queue</code>.
        </Note>
      ))}
      <Table
        what="queues"
        list={list}
        columns={columns}
        rowKey={(row) => row.name}
        empty={<Empty title="No queues">A queue stands here while an agent serves it or a task names it.</Empty>}
      />
    </Page>
  );
}
