import type { TreeItem } from "../api/attempt";

/** The children of a task that have been read. They may have gaps: a page from the beginning, and some around a task. */
interface Level {
  readonly ids: readonly string[]; // in their order
  readonly next: string | null | undefined; // where the next page begins; null behind the last one, undefined if none was asked for
}

/** The tasks of an attempt, as far as they are known. It is never changed: each change makes a new one. */
export interface Tree {
  readonly items: ReadonlyMap<string, TreeItem>;
  readonly levels: ReadonlyMap<string, Level>;
}

export const emptyTree: Tree = { items: new Map(), levels: new Map() };

/** The key of the level above all: that of the root. */
export const top = "";

/** The key of a task. Tasks that are yet to be made have no id. */
export const keyOf = (item: TreeItem): string => item.id ?? `~${item.fullName}`;

/** How many tasks stand below a task, those included that are yet to be made. */
export const childrenOf = (item: TreeItem): number => item.children + (item.kind === "planned" ? 0 : item.toMake);

/** Adds tasks that the server has told, at their places. */
export function put(tree: Tree, items: readonly TreeItem[]): Tree {
  const known = new Map(tree.items);
  const levels = new Map(tree.levels);
  const added = new Map<string, string[]>();
  for (const item of items) {
    const key = keyOf(item);
    const parent = item.parentId ?? top;
    if (!known.has(key) || !levels.get(parent)?.ids.includes(key)) {
      const list = added.get(parent);
      if (list) list.push(key);
      else added.set(parent, [key]);
    }
    known.set(key, item.matches ? item : { ...item, matches: true }); // no filter is shown here
  }
  const place = (key: string) => known.get(key)?.index ?? 0;
  for (const [parent, keys] of added) {
    const before = levels.get(parent);
    const ids = [...new Set([...(before?.ids ?? []), ...keys])].sort((a, b) => place(a) - place(b) || compareIds(a, b));
    levels.set(parent, { ids, next: before?.next });
  }
  return { items: known, levels };
}

function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Replaces the beginning of a level by what was read now. What is not there any more goes. */
export function putLevel(tree: Tree, parent: string, items: readonly TreeItem[], next: string | null): Tree {
  const fresh = new Set(items.map(keyOf));
  const last = items.at(-1)?.index ?? -1;
  const before = tree.levels.get(parent);
  const kept = (before?.ids ?? []).filter((key) => fresh.has(key) || (next !== null && (tree.items.get(key)?.index ?? 0) > last));
  const levels = new Map(tree.levels).set(parent, { ids: kept, next });
  return put({ items: tree.items, levels }, items);
}

/** What an event says about a task. */
export type ChangedTask = Pick<TreeItem, "state" | "try" | "startedAt" | "finishedAt"> & { readonly id: string };

/** Takes over what events say about tasks. Unknown ones are counted: they were made meanwhile. */
export function patch(tree: Tree, rows: readonly ChangedTask[]): { readonly tree: Tree; readonly unknown: number } {
  let unknown = 0;
  const items = new Map(tree.items);
  for (const row of rows) {
    const known = items.get(row.id);
    if (!known) {
      unknown++;
      continue;
    }
    const waits = row.state !== "running" && row.finishedAt === null;
    items.set(row.id, {
      ...known,
      state: row.state,
      try: row.try,
      startedAt: row.startedAt ?? known.startedAt,
      finishedAt: row.finishedAt,
      reason: waits ? known.reason : null,
      hasLog: known.hasLog || (row.try > 0 && known.operator !== null),
    });
  }
  return { tree: { items, levels: tree.levels }, unknown };
}

/** A row that is drawn: a task, or a place where tasks are not read yet. */
export type Row =
  | { readonly kind: "task"; readonly key: string; readonly item: TreeItem; readonly depth: number; readonly open: boolean | undefined }
  | {
      readonly kind: "gap";
      readonly key: string;
      readonly parent: string;
      readonly depth: number;
      readonly missing: number;
      readonly first: boolean;
    };

/** The rows of a tree, from top to bottom. `isOpen` says of a task with others below it whether these are shown. */
export function rowsOf(tree: Tree, isOpen: (item: TreeItem) => boolean): readonly Row[] {
  const rows: Row[] = [];
  const add = (parent: string, size: number, depth: number) => {
    const level = tree.levels.get(parent);
    const gap = (missing: number, first: boolean, at: string) => {
      if (missing > 0) rows.push({ kind: "gap", key: `${parent}:${at}`, parent, depth, missing, first });
    };
    let expected = 0;
    let first = true;
    for (const key of level?.ids ?? []) {
      const item = tree.items.get(key);
      if (!item) continue;
      if (level?.next !== null && item.index > expected) {
        gap(item.index - expected, first, key);
        first = false;
      }
      expected = item.index + 1;
      const below = childrenOf(item);
      const open = below > 0 ? isOpen(item) : undefined;
      rows.push({ kind: "task", key, item, depth, open });
      if (open) add(key, below, depth + 1);
    }
    if (level?.next !== null) gap(size - expected, first, "end");
  };
  add(top, 1, 0);
  return rows;
}

/** The tasks above a task, the nearest first. */
export function above(tree: Tree, key: string): readonly string[] {
  const list: string[] = [];
  for (let at = tree.items.get(key)?.parentId; at; at = tree.items.get(at)?.parentId) list.push(at);
  return list;
}

/** Reports whether a task failed by itself, and not only because of those below it. */
export function failed(item: TreeItem): boolean {
  return item.state === "error" || (item.state === "group_error" && !(item.counts?.error ?? 0));
}

/** The first task of a kind before or behind a row, around the end of the list. */
export function findRow(rows: readonly Row[], from: number, step: 1 | -1, fits: (item: TreeItem) => boolean): number {
  for (let i = 1; i <= rows.length; i++) {
    const at = (from + i * step + rows.length * 2) % rows.length;
    const row = rows[at];
    if (row?.kind === "task" && fits(row.item)) return at;
  }
  return -1;
}

/** The states that a failed, running, waiting ... filter of the page stands for, as the server knows them. */
export const filters = {
  failed: { title: "Failed", ask: "failed", counts: ["error"] },
  running: { title: "Running", ask: "running", counts: ["running"] },
  waiting: {
    title: "Waiting",
    ask: "waiting",
    counts: ["ready", "blocked", "retry_waiting", "group_retry_waiting", "deferred", "awaiting_input"],
  },
  not_reached: { title: "Not reached", ask: "not_reached", counts: ["not_reached"] },
  unsuccessful: {
    title: "Hide successful",
    ask: "failed,running,waiting,not_reached,canceled,skipped,planned",
    counts: [],
  },
} as const satisfies Readonly<Record<string, { title: string; ask: string; counts: readonly string[] }>>;

export type Filter = keyof typeof filters;

export const isFilter = (text: string | undefined): text is Filter => text !== undefined && Object.hasOwn(filters, text);

/** What is asked of the server for a filter of an address: one of the page's, or states. */
export const askFor = (filter: string | undefined): string | undefined => (isFilter(filter) ? filters[filter].ask : filter);
