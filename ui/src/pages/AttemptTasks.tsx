import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AttemptSummary, TreeItem } from "../api/attempt";
import { Button } from "../base/Button";
import { useShortcuts } from "../base/keys";
import { Empty, Failure, Loading } from "../base/Notice";
import type { ZoneChoice } from "../time/format";
import { above, askFor, childrenOf, type Filter, failed, filters, findRow, keyOf, type Row, rowsOf } from "../tree/store";
import { TreeView } from "../tree/TreeView";
import { useFound } from "../tree/useFound";
import { useTree } from "../tree/useTree";
import type { AttemptSearch } from "./Attempt";
import css from "./Attempt.module.css";
import { AttemptPanel, isTab, type Tab, tabs, usualTab } from "./AttemptPanel";
import { AttemptSplit } from "./AttemptSplit";

const foldAbove = 500; // tasks of an attempt, above which finished groups are folded

interface TasksProps {
  readonly attempt: AttemptSummary;
  readonly search: AttemptSearch;
  readonly set: (changed: AttemptSearch, push?: boolean) => void;
  readonly zone: ZoneChoice;
  readonly frozen: boolean;
  readonly onName: (name: string | undefined) => void;
  readonly onRetry: ((task: string) => void) | undefined;
}

const idsOf = (text: string | undefined): ReadonlySet<string> => new Set(text ? text.split(".") : []);
const write = (ids: ReadonlySet<string>) => [...ids].slice(-60).join(".") || undefined;

function itemOf(rows: readonly Row[], key: string): TreeItem | undefined {
  const row = rows.find((each) => each.key === key);
  return row?.kind === "task" ? row.item : undefined;
}

/** The tasks of an attempt as a tree, with what is known of the selected one beside it. */
export function AttemptTasks({ attempt, search, set, zone, frozen, onName, onRetry }: TasksProps) {
  const { id } = attempt;
  const loaded = useTree(id, attempt.rootCauses.length > 0);
  const { tree, find } = loaded;
  const words = search.q || undefined;
  const found = useFound(id, askFor(search.filter), words);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);

  // What failed is selected when the page opens, unless its address selects something.
  const first = attempt.rootCauses[0]?.taskId;
  const opened = useRef(search.task !== undefined);
  useEffect(() => {
    if (opened.current || first === undefined) return;
    opened.current = true;
    set({ task: first, tab: "log" });
  }, [first, set]);

  // Addresses may have full names.
  const [chosen, setChosen] = useState<{ task: string; key: string } | undefined>();
  const [missing, setMissing] = useState<unknown>();
  useEffect(() => {
    setMissing(undefined);
    if (!search.task) return;
    let current = true;
    const task = search.task;
    find(task).then(
      (item) => current && setChosen(item ? { task, key: keyOf(item) } : undefined),
      (error: unknown) => current && setMissing(error),
    );
    return () => {
      current = false;
    };
  }, [search.task, find]);
  const key =
    search.task === undefined
      ? undefined
      : tree.items.has(search.task)
        ? search.task
        : chosen?.task === search.task
          ? chosen.key
          : undefined;
  const item = key === undefined ? undefined : (tree.items.get(key) ?? itemOf(found.rows, key));

  const opens = useMemo(() => idsOf(search.open), [search.open]);
  const folds = useMemo(() => idsOf(search.fold), [search.fold]);
  const failedPaths = useMemo(() => {
    const paths = new Set<string>();
    for (const [each, task] of tree.items) if (failed(task)) for (const up of above(tree, each)) paths.add(up);
    return paths;
  }, [tree]);
  const selectedPath = useMemo(() => new Set(key === undefined ? [] : above(tree, key)), [tree, key]);
  const isOpen = useCallback(
    (task: TreeItem) => {
      const each = keyOf(task);
      if (opens.has(each)) return true;
      if (folds.has(each)) return false;
      if (task.depth === 0 || failedPaths.has(each) || selectedPath.has(each)) return true;
      if (loaded.tasks <= foldAbove) return true;
      return task.state === "planned" && childrenOf(task) <= 200;
    },
    [opens, folds, failedPaths, selectedPath, loaded.tasks],
  );
  const treeRows = useMemo(() => rowsOf(tree, isOpen), [tree, isOpen]);
  const rows = found.active ? found.rows : treeRows;
  const at = rows.findIndex((row) => row.key === key);

  useEffect(() => onName(item?.fullName), [onName, item?.fullName]);

  const select = useCallback(
    (task: TreeItem, focus = false) => {
      opened.current = true;
      const tab = isTab(search.tab) && !(search.tab === "log" && !task.hasLog) ? search.tab : usualTab(task);
      set({ task: task.id ?? task.fullName, tab, line: undefined, try: undefined });
      if (focus)
        requestAnimationFrame(() =>
          box.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(keyOf(task))}"]`)?.focus({ preventScroll: true }),
        );
    },
    [set, search.tab],
  );
  const fold = useCallback(
    (task: TreeItem, open: boolean) => {
      const each = keyOf(task);
      const [more, less] = [new Set(open ? opens : folds).add(each), new Set(open ? folds : opens)];
      less.delete(each);
      set(open ? { open: write(more), fold: write(less) } : { fold: write(more), open: write(less) });
    },
    [opens, folds, set],
  );
  const move = (step: 1 | -1) => {
    const next =
      at < 0 ? (step === 1 ? findRow(rows, -1, 1, () => true) : findRow(rows, 0, -1, () => true)) : findRow(rows, at, step, () => true);
    const row = rows[next];
    if (row?.kind === "task" && (at < 0 || Math.sign(next - at) === step)) select(row.item, true);
  };
  const toFailed = (step: 1 | -1) => {
    const row = rows[findRow(rows, at < 0 && step === -1 ? 0 : at, step, failed)];
    if (row?.kind === "task") select(row.item, true);
  };
  const close = () => {
    opened.current = true;
    set({ task: undefined, tab: undefined, line: undefined, try: undefined });
  };
  const showTab = (tab: Tab) => {
    if (item) set({ tab });
  };
  const setFilter = (filter: Filter | undefined) => set({ filter: search.filter === filter ? undefined : filter });

  useShortcuts("Tasks", [
    { keys: "j", about: "next task", run: () => move(1) },
    { keys: "k", about: "previous task", run: () => move(-1) },
    { keys: "ArrowDown", about: "next task", run: () => move(1) },
    { keys: "ArrowUp", about: "previous task", run: () => move(-1) },
    { keys: "n", about: "next failed task", run: () => toFailed(1) },
    { keys: "Shift+N", about: "previous failed task", run: () => toFailed(-1) },
    {
      keys: "ArrowRight",
      about: "unfold",
      run: () => {
        if (item && childrenOf(item) > 0) fold(item, true);
      },
    },
    {
      keys: "ArrowLeft",
      about: "fold, or go to what is above",
      run: () => {
        if (!item) return;
        const up = item.parentId === null ? undefined : tree.items.get(item.parentId);
        if (childrenOf(item) > 0 && isOpen(item)) fold(item, false);
        else if (up) select(up, true);
      },
    },
    { keys: "*", about: "unfold all that failed", run: () => set({ fold: undefined, open: write(failedPaths) }) },
    {
      keys: "-",
      about: "fold all that has ended",
      run: () => {
        const ended = [...tree.items].filter(
          ([, task]) => childrenOf(task) > 0 && task.depth > 0 && task.finishedAt !== null && !failedPaths.has(keyOf(task)),
        );
        set({ open: undefined, fold: write(new Set(ended.map(([each]) => each))) });
      },
    },
    { keys: "f", about: "find a task by its name", run: () => field.current?.focus() },
    { keys: "h", about: "hide what succeeded", run: () => setFilter("unsuccessful") },
    { keys: "o", about: "open the panel of the selected task", run: () => document.getElementById("task-panel")?.focus() },
    ...(Object.keys(tabs) as Tab[]).map((tab) => ({ keys: tabs[tab].keys, about: tabs[tab].title, run: () => showTab(tab) })),
    { keys: "Escape", about: "close the panel", run: close },
  ]);

  const span = (attempt.finishedAt ? Date.parse(attempt.finishedAt) : Date.now()) - Date.parse(attempt.createdAt);
  const error = found.active ? found.error : loaded.error;
  const list = (
    <section className={css.tasks} aria-label="Tasks">
      <div className={css.tools}>
        <input
          ref={field}
          className={css.find}
          type="search"
          placeholder="Find a task"
          aria-label="Find a task by its name"
          spellCheck={false}
          value={search.q ?? ""}
          onChange={(event) => set({ q: event.target.value || undefined })}
          onKeyDown={(event) => {
            if (event.key === "Enter") move(1);
            if (event.key === "Escape") {
              event.stopPropagation();
              set({ q: undefined });
              field.current?.blur();
            }
          }}
        />
        {(Object.keys(filters) as Filter[]).map((name) => {
          const n = filters[name].counts.reduce((sum, state) => sum + (attempt.counts[state] ?? 0), 0);
          if (name !== "unsuccessful" && n === 0 && search.filter !== name) return null;
          return (
            <Button key={name} look="bare" aria-pressed={search.filter === name} onClick={() => setFilter(name)}>
              {filters[name].title}
              {n > 0 && <span className="quiet">{n.toLocaleString("en")}</span>}
            </Button>
          );
        })}
      </div>
      {error && rows.length === 0 ? (
        <Failure what="read the tasks" error={error} retry={found.active ? found.again : loaded.again} />
      ) : !loaded.ready || (found.active && found.pending) ? (
        <Loading what="tasks" rows={12} />
      ) : rows.length === 0 && found.active ? (
        <Empty title="No task fits">
          <p>
            {attempt.tasks.toLocaleString("en")} {attempt.tasks === 1 ? "task is" : "tasks are"} hidden.{" "}
            <Button onClick={() => set({ filter: undefined, q: undefined })}>Show all</Button>
          </p>
        </Empty>
      ) : rows.length === 0 ? (
        <Empty title="No tasks yet">
          <p>The attempt has not begun. Its tasks stand here when it does.</p>
        </Empty>
      ) : (
        <TreeView
          rows={rows}
          selected={key}
          span={span}
          frozen={frozen}
          box={box}
          onSelect={select}
          onFold={fold}
          onGap={loaded.fill}
          onEnd={found.more}
        />
      )}
      {missing !== undefined && <Failure compact what={`find task ${search.task}`} error={missing} />}
    </section>
  );
  const tab: Tab = isTab(search.tab) ? search.tab : item ? usualTab(item) : "log";
  const tryNumber = /^\d{1,6}$/.test(search.try ?? "") ? Number(search.try) : undefined;
  return (
    <AttemptSplit
      list={list}
      panel={
        item && (
          <AttemptPanel
            attempt={id}
            item={item}
            tab={tab}
            tryNumber={tryNumber}
            lines={search.line}
            zone={zone}
            timezone={attempt.workflowTimezone}
            onTab={showTab}
            onTry={(wanted) => set({ try: wanted === undefined ? undefined : String(wanted), line: undefined })}
            onLines={(line) => set({ line })}
            onSelect={(task) => set({ task }, true)}
            onRetry={onRetry && item.id !== null ? () => onRetry(item.fullName) : undefined}
            onClose={close}
          />
        )
      }
    />
  );
}
