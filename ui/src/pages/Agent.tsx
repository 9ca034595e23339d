import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { change, get } from "../api/call";
import type { AgentTask, Agent as Item } from "../api/operate";
import { AsOf } from "../base/AsOf";
import { useActions } from "../base/actions";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { Field } from "../base/Field";
import { useList } from "../base/list";
import { Failure, Gone, isGone, Loading } from "../base/Notice";
import { Facts, Note, Page, Part } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, Table } from "../base/Table";
import { useTitle } from "../base/title";
import { ActionDialog } from "../forms/ActionDialog";
import { useReread } from "../live/reread";
import type { ZoneChoice } from "../time/format";
import { Length, Wall } from "../time/Wall";

const route = getRouteApi("/agents/$id");

const columns = (zone: ZoneChoice): Column<AgentTask>[] => [
  {
    key: "task",
    title: "Task",
    cell: (row) =>
      row.fullName === "" ? (
        <span className="quiet">a task of a project that you may not see</span>
      ) : (
        <Link to="/attempts/$id" params={{ id: row.attemptId }} search={{ task: row.id }}>
          {row.fullName}
        </Link>
      ),
  },
  { key: "project", title: "Project", width: 160, narrow: 0, cell: (row) => row.project.name },
  { key: "try", title: "Try", width: 60, end: true, cell: (row) => row.try },
  { key: "since", title: "Since", width: 220, cell: (row) => <Wall at={row.startedAt} zone={zone} /> },
  { key: "for", title: "For", width: 110, narrow: 90, end: true, cell: (row) => <Length from={row.startedAt} to={null} /> },
];

const states: Readonly<Record<string, string>> = {
  late: "It missed a heartbeat. Its tasks are still its own.",
  dead: "Its lease has ended: other agents run its tasks again, and it is forgotten soon.",
  draining: "It takes nothing new; what it runs goes on.",
  drained: "It takes nothing new, and has nothing left to run.",
  resting: "It takes nothing for a while.",
};

/** An agent, and what it runs. */
export function Agent() {
  const { id } = route.useParams();
  const queries = useQueryClient();
  const { zone } = usePrefs();
  const [dialog, setDialog] = useState(false);
  const [note, setNote] = useState("");
  const path = `api/agents/${encodeURIComponent(id)}`;
  const found = useQuery({ queryKey: [path], queryFn: ({ signal }) => get<Item>(path, {}, signal) });
  const tasks = useList<AgentTask>(`${path}/tasks`);
  const reread = useCallback(() => {
    for (const part of [path, `${path}/tasks`, "api/agents"]) void queries.invalidateQueries({ queryKey: [part] });
  }, [queries, path]);
  useReread("site", reread);
  const agent = found.data;
  useTitle(agent ? `${agent.state} · ${agent.name}` : "Agent");
  useCrumbs([{ text: "Agents", to: "/agents" }, { text: agent?.name ?? id }]);
  const drained = Boolean(agent?.drainedAt);
  const edit = Boolean(agent?.can.includes("DrainAgents"));
  const title = drained ? "Let it take tasks again…" : "Drain…";
  useActions(edit ? [{ title, run: () => setDialog(true) }] : []);

  if (isGone(found.error)) return <Gone what={`agent ${id}`} error={found.error} />;
  if (found.error) return <Failure what="read the agent" error={found.error} retry={() => void found.refetch()} />;
  if (!agent) return <Loading what="the agent" />;
  return (
    <Page
      flow
      title={agent.name}
      label={`Agent ${agent.name}`}
      head={<AsOf at={found.dataUpdatedAt} reading={found.isFetching} onRead={reread} />}
      actions={edit && <Button onClick={() => setDialog(true)}>{title}</Button>}
    >
      {agent.state !== "live" && (
        <Note>
          <b>{agent.state}</b>: {agent.restReason ?? states[agent.state] ?? ""}
        </Note>
      )}
      <Facts
        list={[
          ["State", agent.state],
          ["Slots in use", agent.slots === null ? `${agent.used}, no limit` : `${agent.used} of ${agent.slots}`],
          ["Queues", agent.queues.join(", ")],
          ["Labels", agent.labels.join(", ")],
          ["Version", agent.version],
          ["Host", agent.host],
          ["Process", agent.remote ? "of its own" : "a server"],
          ["Started", <Wall key="s" at={agent.startedAt} zone={zone} />],
          ["Last heartbeat", <Wall key="h" at={agent.heartbeatAt} zone={zone} />],
          ["Lease ends", <Wall key="l" at={agent.leaseEndsAt} zone={zone} />],
          ["Drained", agent.drainedAt && <Wall key="d" at={agent.drainedAt} zone={zone} />],
          [
            "Id",
            <code key="i" className="mono">
              {agent.id}
            </code>,
          ],
        ]}
      />
      <Part title="Runs" beside={<span className="quiet">{agent.used === 1 ? "1 task" : `${agent.used} tasks`}</span>}>
        <Table
          flow
          what="tasks"
          list={tasks}
          columns={columns(zone)}
          rowKey={(row) => `${row.attemptId} ${row.id} ${row.try}`}
          empty="It runs nothing now"
        />
      </Part>
      {dialog && (
        <ActionDialog
          title={drained ? `Let ${agent.name} take tasks again` : `Drain ${agent.name}`}
          what={drained ? "let the agent take tasks" : "drain the agent"}
          act={drained ? "Take tasks again" : "Drain"}
          ready
          fields={<Field title="Reason, for the audit" value={note} onValue={setNote} />}
          preview={
            <p>
              {drained
                ? `It takes tasks of ${agent.queues.join(", ")} again, at once.`
                : `It takes nothing new. The ${agent.used === 1 ? "task" : `${agent.used} tasks`} that it runs ${agent.used === 1 ? "goes" : "go"} on, and its process stays.`}
            </p>
          }
          onAct={async () => {
            await change("POST", `${path}/${drained ? "undrain" : "drain"}`, { note });
            reread();
          }}
          onClose={() => setDialog(false)}
        />
      )}
    </Page>
  );
}
