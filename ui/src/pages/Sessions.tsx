import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { get } from "../api/call";
import { patchPages } from "../api/patch";
import { type AttemptItem, type Page, statusOf } from "../api/shapes";
import { Button } from "../base/Button";
import { Choice } from "../base/Choice";
import { useCrumbs } from "../base/crumbs";
import { useShortcuts } from "../base/keys";
import { Empty, Failure, Loading } from "../base/Notice";
import { usePrefs } from "../base/prefs";
import { scrollFor, useRowHeight, useRows } from "../base/rows";
import { useTitle } from "../base/title";
import { useLiveness, useMissed, useTopic } from "../live/stream";
import { lookOf } from "../state/look";
import { Mark } from "../state/Mark";
import { localZone, type ZoneChoice, zoneOfSession } from "../time/format";
import { Length, SessionTime, Wall } from "../time/Wall";
import css from "./Sessions.module.css";

const route = getRouteApi("/sessions");

type Pages = InfiniteData<Page<AttemptItem>, string>;

const statuses = ["running", "success", "error", "killed"] as const;
const headHeight = 28;

/** Sessions with their last attempts, or all attempts, the newest first. */
export function Sessions() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/sessions" });
  const queries = useQueryClient();
  const prefs = usePrefs();
  const live = useLiveness();
  useTitle("Sessions");
  useCrumbs([{ text: "Sessions" }]);

  const unit = search.unit === "attempt" ? "attempt" : "session";
  const filters = useMemo(
    () => ({
      unit,
      status: search.status,
      project: search.project,
      workflow: search.workflow,
      createdFrom: search.from,
      createdTo: search.to,
    }),
    [unit, search.status, search.project, search.workflow, search.from, search.to],
  );
  const filtered = Boolean(search.status || search.project || search.workflow || search.from || search.to);
  const key = useMemo(() => ["attempts", filters], [filters]);
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      get<Page<AttemptItem>>("api/search/attempts", { ...filters, cursor: pageParam, limit: 100 }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });

  const [newer, setNewer] = useState<readonly string[]>([]); // attempts that are not in the list yet
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const box = useRef<HTMLDivElement>(null);
  const height = useRowHeight();
  const { first, last } = useRows(box, rows.length, height, headHeight);
  const [at, setAt] = useState(0);

  const reread = useCallback(() => {
    setNewer([]);
    return queries.resetQueries({ queryKey: key });
  }, [queries, key]);

  useTopic("site", (frames) => {
    const known = new Set(rows.map((row) => row.id));
    const came = new Set<string>();
    for (const frame of frames) {
      if (frame.name === "reset") void queries.invalidateQueries({ queryKey: key });
      if (frame.name !== "attempt") continue;
      const attempt = frame.data as AttemptItem;
      if (known.has(attempt.id)) queries.setQueryData<Pages>(key, (pages) => patchPages(pages, attempt));
      else if (belongs(attempt, filters, rows[0])) came.add(attempt.id);
    }
    if (came.size === 0) return;
    if ((box.current?.scrollTop ?? 0) < 4 && !box.current?.matches(":hover")) void queries.invalidateQueries({ queryKey: key });
    else setNewer((before) => [...new Set([...before, ...came])]);
  });
  useMissed(() => void queries.invalidateQueries({ queryKey: key }));

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last > rows.length - 40) void fetchNextPage();
  }, [last, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const set = (changed: Partial<typeof search>, replace = false) => {
    setNewer([]);
    setAt(0);
    void navigate({ search: (before) => ({ ...before, ...changed }), replace });
  };
  const move = (step: number) => {
    const next = Math.min(Math.max(0, at + step), rows.length - 1);
    if (next < 0) return;
    setAt(next);
    const element = box.current;
    if (!element) return;
    const top = scrollFor(next, height, Math.max(0, element.scrollTop), element.clientHeight, headHeight);
    if (top !== undefined) element.scrollTop = top;
    requestAnimationFrame(() => element.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus({ preventScroll: true }));
  };
  const open = () => {
    const row = rows[at];
    if (row) void navigate({ to: "/attempts/$id", params: { id: row.id } });
  };
  const field = useRef<HTMLInputElement>(null);
  useShortcuts("Sessions", [
    { keys: "j", about: "next session", run: () => move(1) },
    { keys: "k", about: "previous session", run: () => move(-1) },
    { keys: "ArrowDown", about: "next session", run: () => move(1) },
    { keys: "ArrowUp", about: "previous session", run: () => move(-1) },
    { keys: "o", about: "open it", run: open },
    { keys: "f", about: "filter by project", run: () => field.current?.focus() },
  ]);

  return (
    <section className={css.page} aria-label="Sessions">
      <header className={css.head}>
        <h1>Sessions</h1>
        <Choice
          bare
          title="Rows"
          value={unit}
          choices={{ session: "Last attempts", attempt: "All attempts" }}
          onChange={(wanted) => set({ unit: wanted === "session" ? undefined : wanted })}
        />
        <Filters
          key={`${search.project ?? ""}/${search.workflow ?? ""}`}
          project={search.project}
          workflow={search.workflow}
          field={field}
          onChange={set}
        />
        <div className={css.statuses}>
          {statuses.map((status) => (
            <Button
              key={status}
              look="bare"
              aria-pressed={search.status === status}
              onClick={() => set({ status: search.status === status ? undefined : status })}
            >
              <Mark state={status} word />
            </Button>
          ))}
        </div>
        {filtered && (
          <Button
            look="bare"
            onClick={() => set({ status: undefined, project: undefined, workflow: undefined, from: undefined, to: undefined })}
          >
            Clear filters
          </Button>
        )}
      </header>
      {newer.length > 0 && (
        <Button
          className={css.newer}
          onClick={() => {
            box.current?.scrollTo({ top: 0 });
            void reread();
          }}
        >
          {newer.length} new · show
        </Button>
      )}
      <div ref={box} className={css.box} data-old={list.isPlaceholderData || undefined}>
        {list.isError && rows.length === 0 ? (
          <Failure what="read the sessions" error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <Loading what="sessions" rows={16} />
        ) : rows.length === 0 && filtered ? (
          <Empty title="No session fits these filters">
            <p>
              <Button onClick={() => set({ status: undefined, project: undefined, workflow: undefined, from: undefined, to: undefined })}>
                Clear filters
              </Button>
            </p>
          </Empty>
        ) : rows.length === 0 ? (
          <Empty title="Nothing has run yet" command="trowel start PROJECT WORKFLOW --session now">
            <p>
              Sessions stand here when a schedule or a person starts a workflow. A folder with workflows comes to the server with `trowel
              push`.
            </p>
          </Empty>
        ) : (
          <table className={css.table} aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
            <thead>
              <tr>
                <th scope="col">Status</th>
                <th scope="col">Workflow</th>
                <th scope="col">Session time</th>
                <th scope="col">
                  Started ·{" "}
                  <span className="quiet">{prefs.zone === "utc" ? "UTC" : prefs.zone === "local" ? localZone : "workflow’s zone"}</span>
                </th>
                <th scope="col" className={css.number}>
                  Took
                </th>
                <th scope="col" className={css.number}>
                  Attempt
                </th>
                <th scope="col">Name</th>
              </tr>
            </thead>
            <tbody>
              {first > 0 && <Gap height={first * height} />}
              {rows.slice(first, last).map((row, i) => (
                <Row
                  key={row.id}
                  row={row}
                  index={first + i}
                  chosen={first + i === at}
                  frozen={live.state === "lost"}
                  zone={prefs.zone}
                  onFocus={setAt}
                />
              ))}
              {last < rows.length && <Gap height={(rows.length - last) * height} />}
            </tbody>
          </table>
        )}
        {list.isError && rows.length > 0 && (
          <Failure compact what="read more sessions" error={list.error} retry={() => void fetchNextPage()} />
        )}
      </div>
    </section>
  );
}

interface RowProps {
  readonly row: AttemptItem;
  readonly index: number;
  readonly chosen: boolean;
  readonly frozen: boolean;
  readonly zone: ZoneChoice;
  readonly onFocus: (index: number) => void;
}

function Row({ row, index, chosen, frozen, zone, onFocus }: RowProps) {
  const status = statusOf(row);
  return (
    <tr aria-rowindex={index + 2} data-chosen={chosen || undefined} onFocus={() => onFocus(index)}>
      <td>
        <Mark state={status} word />
      </td>
      <td className={css.name}>
        <Link to="/attempts/$id" params={{ id: row.id }} data-at={index} tabIndex={chosen ? 0 : -1}>
          {row.workflow.name}
        </Link>
        <span className="quiet"> {row.project.name}</span>
      </td>
      <td>
        <SessionTime at={row.sessionTime} />
      </td>
      <td>
        <Wall at={row.createdAt} zone={zone} workflow={zoneOfSession(row.sessionTime)} bare />
      </td>
      <td className={css.number}>
        <Length from={row.createdAt} to={row.finishedAt} frozen={frozen} />
      </td>
      <td className={css.number}>
        {row.id}
        {row.index > 1 && <span className="quiet"> ×{row.index}</span>}
      </td>
      <td className={css.label}>{row.retryAttemptName}</td>
    </tr>
  );
}

function Gap({ height }: { readonly height: number }) {
  return (
    <tr>
      <td colSpan={7} style={{ blockSize: height, padding: 0, border: 0 }} />
    </tr>
  );
}

/** Reports whether a new attempt may stand at the top of the list. */
function belongs(
  attempt: AttemptItem,
  filters: { status?: string; project?: string; workflow?: string; createdTo?: string },
  newest: AttemptItem | undefined,
): boolean {
  if (filters.createdTo) return false;
  if (filters.status && lookOf(attempt.status).state !== filters.status) return false;
  if (filters.project && attempt.project.name !== filters.project) return false;
  if (filters.workflow && attempt.workflow.name !== filters.workflow) return false;
  return newest === undefined || Number(attempt.id) > Number(newest.id);
}

interface FiltersProps {
  readonly project: string | undefined;
  readonly workflow: string | undefined;
  readonly field: React.RefObject<HTMLInputElement | null>;
  readonly onChange: (changed: { project?: string; workflow?: string }) => void;
}

function Filters({ project, workflow, field, onChange }: FiltersProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim() || undefined;
    onChange({ project: text("project"), workflow: text("project") ? text("workflow") : undefined });
  };
  return (
    <form className={css.filters} onSubmit={submit}>
      <input ref={field} name="project" defaultValue={project} placeholder="Project" aria-label="Project" spellCheck={false} />
      <input name="workflow" defaultValue={workflow} placeholder="Workflow" aria-label="Workflow of the project" spellCheck={false} />
      <button type="submit" className="unseen" tabIndex={-1}>
        Filter
      </button>
    </form>
  );
}
