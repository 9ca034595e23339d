import { useCallback, useEffect, useRef, useState } from "react";
import type { TasksFrame, TreeItem, TreePage } from "../api/attempt";
import { get, type Query } from "../api/call";
import { useMissed, useTopic } from "../live/stream";
import { above, emptyTree, patch, put, putLevel, type Row, type Tree, top } from "./store";

const pageSize = 500; // the most that the server gives at once
const wideGroup = 1000; // groups with more tasks open with a few of them: the first, and those that failed
const rereadEvery = 1500; // milliseconds

export interface LoadedTree {
  readonly tree: Tree;
  readonly tasks: number; // of the attempt
  readonly error: unknown;
  readonly ready: boolean;
  /** Reads what a gap of the rows stands for. */
  readonly fill: (gap: Row & { kind: "gap" }) => void;
  /** Reads the way to a task, by its id or full name, and returns it. */
  readonly find: (task: string) => Promise<TreeItem | undefined>;
  readonly again: () => void;
}

/** Reads the tasks of an attempt as they are looked at, and keeps them up to date. */
export function useTree(attempt: string, failures: boolean): LoadedTree {
  const [tree, setTree] = useState<Tree>(emptyTree);
  const [tasks, setTasks] = useState(0);
  const [error, setError] = useState<unknown>();
  const [ready, setReady] = useState(false);
  const latest = useRef(tree);
  latest.current = tree;
  const busy = useRef(new Set<string>());
  const control = useRef(new AbortController());

  const ask = useCallback(
    (query: Query) => get<TreePage>(`api/attempts/${encodeURIComponent(attempt)}/tree`, query, control.current.signal),
    [attempt],
  );

  // Small attempts are one answer. Of large ones it is the two uppermost levels, and the ways to what failed.
  const readAll = useCallback(async () => {
    const whole = await ask({ depth: 100, limit: pageSize });
    setTasks(whole.tasks);
    if (whole.next === null) {
      setTree(markWhole(put(emptyTree, whole.items)));
    } else {
      const [upper, bad] = await Promise.all([
        ask({ depth: 2, limit: pageSize }),
        failures ? ask({ flat: true, filter: "failed", limit: pageSize }) : undefined,
      ]);
      setTree((before) => put(put(before, upper.items), bad?.items ?? []));
    }
    setError(undefined);
    setReady(true);
  }, [ask, failures]);

  const readLevel = useCallback(
    async (parent: string, size: number, more: boolean) => {
      if (busy.current.has(parent)) return;
      busy.current.add(parent);
      try {
        const known = latest.current.levels.get(parent);
        const cursor = more && known?.next ? known.next : undefined;
        const wide = size > wideGroup && !cursor;
        const query = { parent: parent === top ? undefined : parent, limit: wide ? 100 : pageSize };
        const [page, bad] = await Promise.all([
          ask({ ...query, cursor }),
          wide ? ask({ ...query, filter: "failed", flat: true }) : undefined,
        ]);
        setTree((before) => {
          if (!cursor) return put(putLevel(before, parent, page.items, page.next), bad?.items ?? []);
          const next = put(before, page.items);
          const level = next.levels.get(parent);
          return level ? { ...next, levels: new Map(next.levels).set(parent, { ...level, next: page.next }) } : next;
        });
        setError(undefined);
      } catch (cause) {
        if (!control.current.signal.aborted) setError(cause);
      } finally {
        busy.current.delete(parent);
      }
    },
    [ask],
  );

  const again = useCallback(() => {
    readAll().catch((cause: unknown) => {
      if (!control.current.signal.aborted) setError(cause);
    });
  }, [readAll]);

  useEffect(() => {
    control.current = new AbortController();
    const mine = control.current;
    setTree(emptyTree);
    setReady(false);
    again();
    return () => mine.abort();
  }, [again]);

  // What events do not tell, as counts of groups and new tasks, is read again, but not often.
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const readAt = useRef(0);
  const dirty = useRef(new Set<string>());
  const soon = useCallback(() => {
    if (timer.current !== undefined) return;
    timer.current = setTimeout(
      () => {
        timer.current = undefined;
        readAt.current = Date.now();
        const now = latest.current;
        const parents = [...dirty.current].filter((key) => now.levels.has(key)).slice(0, 20);
        dirty.current.clear();
        if (now.items.size <= pageSize) again();
        else for (const key of parents) void readLevel(key, now.items.get(key)?.children ?? 0, false);
      },
      Math.max(0, readAt.current + rereadEvery - Date.now()),
    );
  }, [again, readLevel]);
  useEffect(() => () => clearTimeout(timer.current), []);

  useTopic(`attempt:${attempt}`, (frames) => {
    for (const frame of frames) {
      if (frame.name === "reset" || frame.name === "attempt") {
        for (const key of latest.current.levels.keys()) dirty.current.add(key);
      } else if (frame.name === "tasks") {
        const { rows, stale } = frame.data as TasksFrame;
        const { unknown } = patch(latest.current, rows);
        setTree((before) => patch(before, rows).tree);
        for (const id of stale) dirty.current.add(id);
        for (const row of rows) {
          for (const up of above(latest.current, row.id)) dirty.current.add(latest.current.items.get(up)?.parentId ?? top);
        }
        if (unknown > 0) {
          for (const [key, item] of latest.current.items)
            if (item.finishedAt === null && latest.current.levels.has(key)) dirty.current.add(key);
        }
      } else continue;
      soon();
    }
  });
  useMissed(() => {
    for (const key of latest.current.levels.keys()) dirty.current.add(key);
    soon();
  });

  const fill = useCallback(
    (gap: Row & { kind: "gap" }) => {
      const level = latest.current.levels.get(gap.parent);
      void readLevel(gap.parent, latest.current.items.get(gap.parent)?.children ?? 0, Boolean(level?.next));
    },
    [readLevel],
  );

  const find = useCallback(
    async (task: string) => {
      const known = latest.current.items.get(task) ?? [...latest.current.items.values()].find((item) => item.fullName === task);
      if (known && above(latest.current, known.id ?? "").every((key) => latest.current.items.has(key))) return known;
      const page = await ask({ around: task, limit: 100 });
      setTree((before) => put(before, page.items));
      return page.items.find((item) => item.id === task || item.fullName === task);
    },
    [ask],
  );

  return { tree, tasks, error, ready, fill, find, again };
}

/** Notes that all levels of a tree are whole, but those with tasks that are yet to be made. */
function markWhole(tree: Tree): Tree {
  const levels = new Map(tree.levels);
  for (const [key, level] of levels) {
    if ((tree.items.get(key)?.toMake ?? 0) === 0) levels.set(key, { ...level, next: null });
  }
  return { items: tree.items, levels };
}
