import { expect, test } from "vitest";
import type { TreeItem } from "../api/attempt";
import { above, emptyTree, findRow, patch, put, putLevel, type Row, rowsOf, type Tree } from "./store";

const blank: TreeItem = {
  id: "1",
  name: "",
  fullName: "",
  parentId: null,
  depth: 0,
  index: 0,
  kind: "operator",
  operator: "sh",
  state: "success",
  canceling: false,
  try: 1,
  readyAt: null,
  claimedAt: null,
  startedAt: null,
  finishedAt: null,
  retryAt: null,
  children: 0,
  toMake: 0,
  counts: null,
  agent: null,
  reason: null,
  hasLog: true,
  reused: false,
  matches: true,
  file: null,
  line: null,
};
const task = (id: string, parentId: string | null, index: number, more: Partial<TreeItem> = {}): TreeItem => ({
  ...blank,
  id,
  parentId,
  index,
  name: `+t${id}`,
  fullName: `+t${id}`,
  ...more,
});
const write = (rows: readonly Row[]) =>
  rows.map((row) => `${"  ".repeat(row.depth)}${row.kind === "gap" ? `(${row.missing})` : row.item.name}`).join("\n");
const all = () => true;

/** A root with 3 groups of 4 tasks. */
function small(): TreeItem[] {
  const items = [task("1", null, 0, { children: 3, kind: "group" })];
  for (let g = 0; g < 3; g++) {
    const group = String(g + 2);
    items.push(task(group, "1", g, { children: 4, kind: "group" }));
    for (let t = 0; t < 4; t++) items.push(task(String(10 * (g + 1) + t), group, t));
  }
  return items;
}

test("rows are those that are open, with gaps for what is not read", () => {
  const items = small();
  let tree = put(emptyTree, items.slice(0, 3));
  expect(write(rowsOf(tree, all))).toBe("+t1\n  +t2\n    +t10\n    (3)\n  (2)");
  tree = put(tree, [task("3", "1", 1, { children: 4 }), task("22", "3", 2)]);
  expect(write(rowsOf(tree, all))).toBe("+t1\n  +t2\n    +t10\n    (3)\n  +t3\n    (2)\n    +t22\n    (1)\n  (1)");
  expect(write(rowsOf(tree, (item) => item.id === "1"))).toBe("+t1\n  +t2\n  +t3\n  (1)");
  expect(above(tree, "22")).toEqual(["3", "1"]);
});

test("in whatever order pages come, the rows are the same", () => {
  const items = small();
  const want = write(rowsOf(put(emptyTree, items), all));
  let seed = 3;
  const random = (n: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
  };
  for (let round = 0; round < 200; round++) {
    const left = [...items];
    let tree: Tree = emptyTree;
    while (left.length > 0) {
      const some = Array.from({ length: Math.min(left.length, 1 + random(4)) }, () => left.splice(random(left.length), 1)[0] as TreeItem);
      tree = put(tree, some);
    }
    expect(write(rowsOf(tree, all))).toBe(want);
  }
});

test("a level that is read again loses what is gone, and keeps what lies behind the page", () => {
  let tree = put(emptyTree, [task("1", null, 0, { children: 100 }), task("5", "1", 3), task("90", "1", 80)]);
  tree = putLevel(tree, "1", [task("6", "1", 0), task("7", "1", 1)], "more");
  expect(write(rowsOf(tree, all))).toBe("+t1\n  +t6\n  +t7\n  (1)\n  +t5\n  (76)\n  +t90\n  (19)");
  tree = putLevel(tree, "1", [task("6", "1", 0)], null);
  expect(write(rowsOf(tree, all))).toBe("+t1\n  +t6");
});

test("events patch what is known, and count what is not", () => {
  const tree = put(emptyTree, [task("1", null, 0, { state: "ready", reason: { code: "pool_full", text: "waits", since: null } })]);
  const row = { try: 1, startedAt: "2026-01-01T00:00:00.000Z", finishedAt: null };
  const patched = patch(tree, [
    { id: "1", state: "running", ...row },
    { id: "2", state: "running", ...row },
  ]);
  expect(patched.unknown).toBe(1);
  expect(patched.tree.items.get("1")).toMatchObject({ state: "running", reason: null, startedAt: row.startedAt });
  expect(tree.items.get("1")?.state).toBe("ready");
});

test("the next failed row is found around the end", () => {
  const tree = put(
    emptyTree,
    small().map((item) => (item.id === "11" || item.id === "30" ? { ...item, state: "error" } : item)),
  );
  const rows = rowsOf(tree, all);
  const fits = (item: TreeItem) => item.state === "error";
  const first = findRow(rows, -1, 1, fits);
  const second = findRow(rows, first, 1, fits);
  expect([rows[first]?.key, rows[second]?.key]).toEqual(["11", "30"]);
  expect(findRow(rows, second, 1, fits)).toBe(first);
  expect(findRow(rows, first, -1, fits)).toBe(second);
  expect(findRow(rows, 0, 1, () => false)).toBe(-1);
});

test("50,000 siblings with some read in their middle are few rows", () => {
  let tree = put(emptyTree, [task("1", null, 0, { children: 50_000 })]);
  tree = putLevel(
    tree,
    "1",
    Array.from({ length: 100 }, (_, i) => task(String(i + 2), "1", i)),
    "more",
  );
  tree = put(tree, [task("30002", "1", 30_000)]);
  expect(rowsOf(tree, all).length).toBe(1 + 100 + 1 + 1 + 1);
});
