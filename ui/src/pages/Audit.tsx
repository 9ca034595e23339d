import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { AuditEntry } from "../api/operate";
import { AsOf } from "../base/AsOf";
import { Button } from "../base/Button";
import { useCrumbs } from "../base/crumbs";
import { useList } from "../base/list";
import { useMay, useMe } from "../base/me";
import { Empty } from "../base/Notice";
import { Page } from "../base/Page";
import { usePrefs } from "../base/prefs";
import { type Column, GoLink, Table, type Target } from "../base/Table";
import { useTitle } from "../base/title";
import { type ZoneChoice, zoneOf } from "../time/format";
import { instantText, takenInstant } from "../time/instants";
import { Wall } from "../time/Wall";
import css from "./Audit.module.css";

const route = getRouteApi("/audit");

const filters = ["actor", "action", "project", "workflow", "attempt", "task", "from", "to"] as const;
type Filters = Partial<Record<(typeof filters)[number] | "source", string>>;

const titles: Readonly<Record<(typeof filters)[number], string>> = {
  actor: "Who",
  action: "Action, as pool",
  project: "Project",
  workflow: "Workflow",
  attempt: "Attempt",
  task: "Task",
  from: "From",
  to: "Before",
};

const sources = ["rest", "cli", "config", "scheduler", "server", "engine"];

const columns = (zone: ZoneChoice): Column<AuditEntry>[] => [
  { key: "text", title: "What", cell: (row) => <span title={row.text}>{row.text}</span> },
  { key: "at", title: "When", width: 220, narrow: 180, cell: (row) => <Wall at={row.at} zone={zone} /> },
  { key: "note", title: "Note", width: 200, cell: (row) => <span title={row.note}>{row.note}</span> },
  { key: "action", title: "Action", width: 150, cell: (row) => row.action },
  { key: "source", title: "From", width: 90, cell: (row) => row.source },
];

/** Where the thing of an entry is shown, if it has a page. */
function pageOf({ object }: AuditEntry): Target | undefined {
  if (object.attemptId) return { to: "/attempts/$id", params: { id: object.attemptId }, search: { task: object.taskId } };
  switch (object.kind) {
    case "pool":
      return {
        to: "/pools/$name",
        params: { name: object.path.split("/").at(-1) ?? object.path },
        search: { project: object.project?.name },
      };
    case "agent":
      return { to: "/agents/$id", params: { id: object.id } };
    case "schedule":
      return { to: "/schedules/$id", params: { id: object.id } };
    default:
      return object.project ? { to: "/projects/$id", params: { id: object.project.id } } : undefined;
  }
}

/** The instant of a filter, which may be a wall time as people write it. */
function instantOf(text: string | undefined, zone: string): string | undefined {
  if (!text) return undefined;
  const taken = takenInstant(text, zone);
  return taken ? instantText(taken.ms) : text;
}

/** Who did what. */
export function Audit() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/audit" });
  const { zone } = usePrefs();
  const me = useMe();
  const may = useMay();
  useTitle("Audit");
  useCrumbs([{ text: "Audit" }]);
  const name = zoneOf(zone === "workflow" ? "local" : zone, undefined);
  const { at, from, to, ...rest } = search;
  const allowed = may("ReadAudit") || Boolean(me?.projects);
  const list = useList<AuditEntry>("api/audit", { ...rest, from: instantOf(from, name), to: instantOf(to, name) }, allowed);
  const filtered = Object.keys({ ...rest, from, to }).some((key) => search[key as keyof Filters]);
  const set = (changed: Filters & { at?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const clear = () => void navigate({ search: {}, replace: true });
  const chosen = at === undefined ? undefined : list.rows.find((row) => row.id === at);
  if (me && !allowed)
    return (
      <Empty title="You may not read the audit">
        <p>The role operator or admin is needed.</p>
      </Empty>
    );
  return (
    <Page
      title="Audit"
      label="Audit"
      head={
        <>
          <FilterForm
            key={filters.map((key) => search[key] ?? "").join("\n")}
            search={search}
            zone={name}
            onSet={(changed) => set({ ...changed, at: undefined })}
          />
          <select
            className={css.source}
            aria-label="From where"
            value={search.source ?? ""}
            onChange={(event) => set({ source: event.target.value || undefined, at: undefined })}
          >
            <option value="">from anywhere</option>
            {sources.map((source) => (
              <option key={source} value={source}>
                {source}
              </option>
            ))}
          </select>
          {filtered && (
            <Button look="bare" onClick={clear}>
              Clear filters
            </Button>
          )}
          <AsOf at={list.readAt} reading={list.pending} onRead={list.retry} />
        </>
      }
    >
      <Table
        what="entries"
        list={list}
        columns={columns(zone)}
        rowKey={(row) => row.id}
        target={(row) => ({ to: "/audit", search: { ...search, at: row.id } })}
        chosen={at}
        onChoose={(key) => set({ at: key })}
        empty={
          <Empty title={filtered ? "Nothing fits these filters" : "Nobody has done anything yet"}>
            {filtered && <Button onClick={clear}>Clear filters</Button>}
          </Empty>
        }
      />
      {chosen && <Entry entry={chosen} zone={zone} onClose={() => set({ at: undefined })} />}
    </Page>
  );
}

function FilterForm({
  search,
  zone,
  onSet,
}: {
  readonly search: Filters;
  readonly zone: string;
  readonly onSet: (changed: Filters) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onSet(Object.fromEntries(filters.map((key) => [key, String(form.get(key) ?? "").trim() || undefined])));
  };
  const [all, setAll] = useState(Boolean(search.attempt || search.task || search.from || search.to));
  const shown = all ? filters : filters.slice(0, 4);
  return (
    <form className={css.filters} onSubmit={submit}>
      {shown.map((key) => (
        <input
          key={key}
          name={key}
          defaultValue={search[key]}
          placeholder={titles[key]}
          aria-label={key === "from" || key === "to" ? `${titles[key]}, as 2026-11-21 03:00 in ${zone}` : titles[key]}
          title={key === "from" || key === "to" ? `As 2026-11-21 03:00, in ${zone}` : undefined}
          spellCheck={false}
        />
      ))}
      {!all && (
        <Button look="bare" onClick={() => setAll(true)}>
          More filters
        </Button>
      )}
      <Button type="submit">Filter</Button>
    </form>
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** One entry, with what was before and is after. */
function Entry({ entry, zone, onClose }: { readonly entry: AuditEntry; readonly zone: ZoneChoice; readonly onClose: () => void }) {
  const target = pageOf(entry);
  const keys = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
  return (
    <section className={css.entry} aria-label="Entry">
      <div className={css.entryHead}>
        <h2>{entry.text}</h2>
        <Button look="bare" onClick={onClose}>
          Close
        </Button>
      </div>
      <p className="quiet">
        <Wall at={entry.at} zone={zone} /> · {entry.actor.kind} {entry.actor.name} · {entry.action} · from {entry.source}
        {target && (
          <>
            {" "}
            · <GoLink target={target}>open {entry.object.kind}</GoLink>
          </>
        )}
        {entry.object.attemptId && (
          <>
            {" "}
            ·{" "}
            <Link to="/audit" search={{ attempt: entry.object.attemptId }}>
              all of this attempt
            </Link>
          </>
        )}
      </p>
      {entry.note && <p>{entry.note}</p>}
      {keys.length > 0 && (
        <table className={css.values}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key}>
                <th scope="row">{key}</th>
                <td>{entry.before && key in entry.before && <code>{text(entry.before[key])}</code>}</td>
                <td>{entry.after && key in entry.after && <code>{text(entry.after[key])}</code>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
