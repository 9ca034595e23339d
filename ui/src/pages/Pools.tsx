import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { Pool } from "../api/operate";
import type { Page as Answer } from "../api/shapes";
import { AsOf } from "../base/AsOf";
import { useActions } from "../base/actions";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { useList } from "../base/list";
import { useMay } from "../base/me";
import { Empty } from "../base/Notice";
import { Note, Page } from "../base/Page";
import { type Column, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { PoolDialog } from "../forms/PoolDialog";
import { useReread } from "../live/reread";
import { duration } from "../time/duration";
import css from "./Operate.module.css";

const route = getRouteApi("/pools");

interface Missing {
  readonly name: string;
  readonly projectId: string;
  readonly waiting: number;
  readonly oldestWaitMs: number | null;
}

/** How much of a pool is in use: used slots only, as those that wait use none. */
function Use({ pool }: { readonly pool: Pool }) {
  const share = pool.slots > 0 ? Math.min(1, pool.used / pool.slots) : pool.slots === 0 && pool.used > 0 ? 1 : 0;
  return (
    <span className={css.use}>
      {pool.slots > 0 && (
        <svg className={css.bar} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect width="100" height="8" className={css.room} />
          <rect width={share * 100} height="8" className={css.used} />
        </svg>
      )}
      {pool.slots < 0 ? `${pool.used} used, no limit` : `${pool.used} of ${pool.slots}`}
    </span>
  );
}

const columns: readonly Column<Pool>[] = [
  { key: "name", title: "Pool", cell: (row) => row.name },
  { key: "project", title: "For", width: 140, narrow: 0, cell: (row) => row.project?.name ?? <span className="quiet">all projects</span> },
  { key: "used", title: "Slots in use", width: 220, narrow: 110, cell: (row) => <Use pool={row} /> },
  { key: "waiting", title: "Waiting", width: 90, narrow: 70, end: true, cell: (row) => row.waiting || <span className="quiet">0</span> },
  {
    key: "oldest",
    title: "Oldest waits",
    width: 120,
    end: true,
    cell: (row) => (row.oldestWaitMs === null ? <span className="quiet">–</span> : duration(row.oldestWaitMs)),
  },
  { key: "deferred", title: "Deferred", width: 90, end: true, cell: (row) => row.deferred || <span className="quiet">0</span> },
  { key: "description", title: "Description", cell: (row) => <span title={row.description}>{row.description}</span> },
];

/** Pools, with what of them is in use. */
export function Pools() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/pools" });
  const queries = useQueryClient();
  const may = useMay();
  const [making, setMaking] = useState<string>();
  useTitle("Pools");
  useCrumbs([{ text: "Pools" }]);
  const list = useList<Pool, Answer<Pool> & { readonly missing: readonly Missing[] }>("api/pools");
  const reread = useCallback(() => void queries.invalidateQueries({ queryKey: ["api/pools"] }), [queries]);
  useReread("site", reread);
  const edit = may("EditPools");
  useActions(edit ? [{ title: "New pool…", run: () => setMaking("") }] : []);
  const missing = list.first?.missing ?? [];
  return (
    <Page
      title="Pools"
      label="Pools"
      head={<AsOf at={list.readAt} reading={list.pending} onRead={reread} />}
      actions={edit && <Button onClick={() => setMaking("")}>New pool…</Button>}
    >
      {missing.map((pool) => (
        <Note key={`${pool.projectId} ${pool.name}`}>
          There is no pool <b>{pool.name}</b>, but {pool.waiting === 1 ? "1 task waits" : `${pool.waiting} tasks wait`} for it
          {pool.oldestWaitMs === null ? "" : `, the oldest for ${duration(pool.oldestWaitMs)}`}.{" "}
          {edit && <Button onClick={() => setMaking(pool.name)}>Make it…</Button>}
        </Note>
      ))}
      <Table
        what="pools"
        list={list}
        columns={columns}
        rowKey={(row) => row.id}
        target={(row) => ({ to: "/pools/$name", params: { name: row.name }, search: { project: row.project?.name } })}
        chosen={search.at}
        onChoose={(at) => void navigate({ search: { at }, replace: true })}
        empty={<Empty title="No pools" command="trowel pools set NAME SLOTS" />}
      />
      {making !== undefined && (
        <PoolDialog
          name={making}
          onDone={(pool) => {
            reread();
            void navigate({ to: "/pools/$name", params: { name: pool.name }, search: { project: pool.project?.name } });
          }}
          onClose={() => setMaking(undefined)}
        />
      )}
    </Page>
  );
}
