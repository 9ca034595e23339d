import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { get } from "../api/call";
import type { Pool as Item, PoolStep, PoolTask } from "../api/operate";
import { AsOf } from "../base/AsOf";
import { useActions } from "../base/actions";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { useList, wholeList } from "../base/list";
import { Empty, Failure, Gone, isGone, Loading } from "../base/Notice";
import { Facts, Page, Part } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { PoolDeleteDialog, PoolDialog, poolPath } from "../forms/PoolDialog";
import { slotsWords } from "../forms/poolslots";
import { useReread } from "../live/reread";
import { History } from "../plot/History";
import { serverNow } from "../time/clock";
import { duration } from "../time/duration";
import { type ZoneChoice, zoneOf } from "../time/format";
import { Length, Wall } from "../time/Wall";

const route = getRouteApi("/pools/$name");
const day = 86_400_000;

/** A task by its name, or a word for one that the person may not see. */
function TaskName({ task }: { readonly task: PoolTask }) {
  if (task.fullName === "") return <span className="quiet">a task of a project that you may not see</span>;
  return (
    <Link to="/attempts/$id" params={{ id: task.attemptId }} search={{ task: task.id }} title={`${task.project.name} ${task.fullName}`}>
      {task.fullName}
    </Link>
  );
}

const slots: Column<PoolTask> = { key: "slots", title: "Slots", width: 60, narrow: 50, end: true, cell: (row) => row.slots };
const project: Column<PoolTask> = { key: "project", title: "Project", width: 150, narrow: 0, cell: (row) => row.project.name };

const holding = (zone: ZoneChoice): Column<PoolTask>[] => [
  { key: "task", title: "Task", cell: (row) => <TaskName task={row} /> },
  project,
  slots,
  { key: "since", title: "Held since", width: 220, cell: (row) => <Wall at={row.startedAt} zone={zone} /> },
  { key: "for", title: "For", width: 110, narrow: 90, end: true, cell: (row) => <Length from={row.startedAt} to={null} /> },
  {
    key: "expected",
    title: "Expected free",
    width: 220,
    cell: (row) => (row.expectedAt ? <Wall at={row.expectedAt} zone={zone} /> : <span className="quiet">cannot be told</span>),
  },
];

const waiting = (zone: ZoneChoice): Column<PoolTask>[] => [
  { key: "task", title: "Task", cell: (row) => <TaskName task={row} /> },
  project,
  { key: "position", title: "In line", width: 60, narrow: 50, end: true, cell: (row) => row.position },
  slots,
  { key: "weight", title: "Weight", width: 70, end: true, cell: (row) => row.weight },
  { key: "since", title: "Ready since", width: 220, cell: (row) => <Wall at={row.readyAt} zone={zone} /> },
  {
    key: "expected",
    title: "Expected to start",
    width: 220,
    cell: (row) => (row.expectedAt ? <Wall at={row.expectedAt} zone={zone} /> : <span className="quiet">cannot be told</span>),
  },
];

const steps = (zone: ZoneChoice): Column<PoolStep>[] => [
  { key: "at", title: "From", width: 220, narrow: 190, cell: (row) => <Wall at={row.at} zone={zone} /> },
  { key: "used", title: "Used, mean", width: 100, end: true, cell: (row) => row.used.toFixed(1) },
  { key: "most", title: "Most", width: 80, end: true, cell: (row) => row.mostUsed },
  { key: "waiting", title: "Waiting, mean", width: 120, end: true, cell: (row) => row.waiting.toFixed(1) },
  { key: "mostWaiting", title: "Most", width: 80, end: true, cell: (row) => row.mostWaiting },
  { key: "slots", title: "Slots", width: 80, end: true, cell: (row) => (row.slots === null ? "" : row.slots < 0 ? "no limit" : row.slots) },
];

/** A pool: who holds its slots, who waits for them, and how it went. */
export function Pool() {
  const { name } = route.useParams();
  const { project: owner } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { zone } = usePrefs();
  const [dialog, setDialog] = useState<"change" | "delete">();
  const [table, setTable] = useState(false);
  const path = `api/pools/${encodeURIComponent(name)}`;
  const found = useQuery({ queryKey: [path, owner], queryFn: ({ signal }) => get<Item>(poolPath(name, owner), {}, signal) });
  const there = found.isSuccess;
  const holders = useList<PoolTask>(`${path}/tasks`, { project: owner, use: "holding" }, there);
  const waiters = useList<PoolTask>(`${path}/tasks`, { project: owner, use: "waiting" }, there);
  const history = useQuery({
    queryKey: [`${path}/history`, owner],
    queryFn: ({ signal }) =>
      get<{ readonly stepMs: number; readonly items: readonly PoolStep[] }>(`${path}/history`, { project: owner }, signal),
    enabled: there,
  });
  const reread = useCallback(() => {
    for (const part of [path, `${path}/tasks`, `${path}/history`, "api/pools"]) void queries.invalidateQueries({ queryKey: [part] });
  }, [queries, path]);
  useReread("site", reread);
  const pool = found.data;
  useTitle(pool ? `${pool.used} of ${pool.slots < 0 ? "unlimited" : pool.slots} · pool ${name}` : `Pool ${name}`);
  useCrumbs([{ text: "Pools", to: "/pools" }, { text: name }]);
  const edit = Boolean(pool?.can.includes("EditPools"));
  const fixed = pool?.name === "default" && !pool.project; // the server keeps it
  useActions(
    edit
      ? [
          { title: "Change this pool…", run: () => setDialog("change") },
          ...(fixed ? [] : [{ title: "Delete this pool…", run: () => setDialog("delete") }]),
        ]
      : [],
  );
  const items = history.data?.items;
  const used = useMemo(() => (items ?? []).map((step) => ({ at: Date.parse(step.at), value: step.mostUsed })), [items]);
  const queued = useMemo(() => (items ?? []).map((step) => ({ at: Date.parse(step.at), value: step.mostWaiting })), [items]);
  const newest = useMemo(() => [...(items ?? [])].reverse(), [items]);

  if (isGone(found.error)) return <Gone what={`pool ${name}`} error={found.error} />;
  if (found.error) return <Failure what={`read pool ${name}`} error={found.error} retry={() => void found.refetch()} />;
  if (!pool) return <Loading what="the pool" />;
  const to = history.dataUpdatedAt > 0 ? serverNow() : 0;
  const plot = {
    length: history.data?.stepMs ?? 300_000,
    from: to - day,
    to,
    zone: zoneOf(zone === "workflow" ? "local" : zone, undefined),
  };
  return (
    <Page
      flow
      title={pool.name}
      label={`Pool ${pool.name}`}
      head={
        <>
          <span className="quiet">{pool.project ? `for project ${pool.project.name}` : "for all projects"}</span>
          <AsOf at={found.dataUpdatedAt} reading={found.isFetching} onRead={reread} />
        </>
      }
      actions={
        edit && (
          <>
            <Button onClick={() => setDialog("change")}>Change…</Button>
            {!fixed && <Button onClick={() => setDialog("delete")}>Delete…</Button>}
          </>
        )
      }
    >
      <Facts
        list={[
          ["Slots", pool.slots < 0 ? "no limit" : pool.slots],
          ["Used", pool.used],
          ["Open", pool.open === null ? undefined : pool.open],
          ["Waiting", pool.oldestWaitMs === null ? pool.waiting : `${pool.waiting}, the oldest for ${duration(pool.oldestWaitMs)}`],
          ["Deferred", `${pool.deferred}, which ${pool.includeDeferred ? "keep their slots" : "hold no slots"}`],
          ["Description", pool.description],
          pool.updatedBy === "trowel" ? ["", ""] : ["Changed", <Wall key="u" at={pool.updatedAt} zone={zone} />],
          ["By", pool.updatedBy === "trowel" ? "" : pool.updatedBy],
        ]}
      />
      <Part title="Holds slots" beside={<span className="quiet">{pool.used} in use</span>}>
        <Table
          flow
          what="tasks that hold slots"
          list={holders}
          columns={holding(zone)}
          rowKey={(row) => `${row.attemptId} ${row.id} ${row.startedAt}`}
          empty="Nobody holds a slot"
        />
      </Part>
      <Part title="Waits for slots" beside={<span className="quiet">in the order in which they get them</span>}>
        <Table
          flow
          what="tasks that wait"
          list={waiters}
          columns={waiting(zone)}
          rowKey={(row) => `${row.attemptId} ${row.id} ${row.position}`}
          empty="Nobody waits"
        />
      </Part>
      <Part
        title="Last 24 hours"
        beside={
          newest.length > 0 && (
            <Button look="bare" aria-pressed={table} onClick={() => setTable(!table)}>
              Show as table
            </Button>
          )
        }
      >
        {history.error ? (
          <Failure compact what="read the history" error={history.error} retry={() => void history.refetch()} />
        ) : newest.length === 0 && !history.isPending ? (
          <Empty title="Nothing was measured yet">A server looks every 30 s.</Empty>
        ) : table ? (
          <Table flow what="steps" list={wholeList(newest, history)} columns={steps(zone)} rowKey={(row) => row.at} empty={null} />
        ) : (
          to > 0 && (
            <>
              <History
                {...plot}
                title="Slots in use"
                steps={used}
                look="solid"
                limit={pool.slots > 0 ? pool.slots : undefined}
                beside={pool.slots > 0 ? `the line is ${slotsWords(pool.slots)}` : undefined}
              />
              <History {...plot} title="Tasks waiting" steps={queued} look="hatched" />
            </>
          )
        )}
      </Part>
      {dialog === "change" && <PoolDialog pool={pool} onDone={reread} onClose={() => setDialog(undefined)} />}
      {dialog === "delete" && (
        <PoolDeleteDialog
          pool={pool}
          onDone={() => {
            void queries.invalidateQueries({ queryKey: ["api/pools"] });
            void navigate({ to: "/pools", replace: true });
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Page>
  );
}
