import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import type { Agent } from "../api/operate";
import { AsOf } from "../base/AsOf";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { Filter } from "../base/Field";
import { useList } from "../base/list";
import { Empty } from "../base/Notice";
import { Page } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { useReread } from "../live/reread";
import type { ZoneChoice } from "../time/format";
import { Wall } from "../time/Wall";

const route = getRouteApi("/agents");

const columns = (zone: ZoneChoice): Column<Agent>[] => [
  { key: "name", title: "Agent", cell: (row) => row.name },
  { key: "state", title: "State", width: 100, narrow: 80, cell: (row) => <span title={row.restReason ?? undefined}>{row.state}</span> },
  {
    key: "used",
    title: "Slots in use",
    width: 110,
    end: true,
    narrow: 90,
    cell: (row) => (row.slots === null ? `${row.used}, no limit` : `${row.used} of ${row.slots}`),
  },
  { key: "queues", title: "Queues", width: 160, cell: (row) => row.queues.join(", ") },
  { key: "labels", title: "Labels", width: 140, cell: (row) => row.labels.join(", ") },
  { key: "version", title: "Version", width: 90, cell: (row) => row.version },
  { key: "host", title: "Host", width: 140, cell: (row) => row.host },
  { key: "heartbeat", title: "Last heartbeat", width: 220, cell: (row) => <Wall at={row.heartbeatAt} zone={zone} /> },
];

/** Agents, and what they do. */
export function Agents() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/agents" });
  const queries = useQueryClient();
  const { zone } = usePrefs();
  useTitle("Agents");
  useCrumbs([{ text: "Agents" }]);
  const list = useList<Agent>("api/agents");
  const reread = useCallback(() => void queries.invalidateQueries({ queryKey: ["api/agents"] }), [queries]);
  useReread("site", reread);
  const rows = useMemo(() => {
    const words = (search.q ?? "").toLowerCase();
    return list.rows.filter(
      (row) =>
        (!search.queue || row.queues.includes(search.queue)) &&
        `${row.name} ${row.host} ${row.version} ${row.state} ${row.labels.join(" ")}`.toLowerCase().includes(words),
    );
  }, [list.rows, search.q, search.queue]);
  const versions = useMemo(() => {
    const count = new Map<string, number>();
    for (const row of list.rows) count.set(row.version, (count.get(row.version) ?? 0) + 1);
    return [...count].sort(([a], [b]) => a.localeCompare(b));
  }, [list.rows]);
  const filtered = Boolean(search.q || search.queue);
  const set = (changed: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const clear = () => set({ q: undefined, queue: undefined });
  return (
    <Page
      title="Agents"
      label="Agents"
      head={
        <>
          <Filter title="Name, host, version, state" value={search.q} onValue={(q) => set({ q, at: undefined })} />
          {search.queue && <span>of queue {search.queue}</span>}
          {filtered && (
            <Button look="bare" onClick={clear}>
              Clear filters
            </Button>
          )}
          {versions.length > 1 && (
            <span className="quiet">{versions.map(([version, count]) => `${count} of version ${version}`).join(", ")}</span>
          )}
          <AsOf at={list.readAt} reading={list.pending} onRead={reread} />
        </>
      }
    >
      <Table
        what="agents"
        list={{ ...list, rows }}
        columns={columns(zone)}
        rowKey={(row) => row.id}
        target={(row) => ({ to: "/agents/$id", params: { id: row.id } })}
        chosen={search.at}
        onChoose={(at) => set({ at })}
        empty={
          filtered ? (
            <Empty title="No agent fits these filters">
              <p>{list.rows.length} are hidden.</p>
              <Button onClick={clear}>Clear filters</Button>
            </Empty>
          ) : (
            <Empty title="No agents" command="trowel agent --server URL">
              <p>Nothing runs without one. A server has its own unless it was started with `--disable-local-agent`.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
