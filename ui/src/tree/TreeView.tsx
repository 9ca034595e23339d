import { ChevronDown, ChevronRight } from "lucide-react";
import { memo, type RefObject, useEffect, useRef } from "react";
import type { TreeItem } from "../api/attempt";
import { Button } from "../base/Button";
import { scrollFor, useRowHeight, useRows } from "../base/rows";
import { Mark } from "../state/Mark";
import { duration } from "../time/duration";
import { Length } from "../time/Wall";
import { CountsBar } from "./CountsBar";
import { childrenOf, type Row } from "./store";
import css from "./TreeView.module.css";

const headHeight = 26;

interface TreeViewProps {
  readonly rows: readonly Row[];
  readonly selected: string | undefined; // key of a task
  readonly span: number; // milliseconds of the whole attempt, the scale of bars
  readonly frozen: boolean;
  readonly box: RefObject<HTMLDivElement | null>;
  readonly onSelect: (item: TreeItem) => void;
  readonly onFold: (item: TreeItem, open: boolean) => void;
  readonly onGap: (gap: Row & { kind: "gap" }) => void;
  readonly onEnd: () => void; // the last rows are in sight
}

/** The tasks of an attempt as rows, of which only those in sight are drawn. */
export function TreeView({ rows, selected, span, frozen, box, onSelect, onFold, onGap, onEnd }: TreeViewProps) {
  const height = useRowHeight();
  const { first, last } = useRows(box, rows.length, height, headHeight);
  const at = rows.findIndex((row) => row.key === selected);

  // The selected row comes into sight when it is chosen, not whenever rows change.
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (at < 0 || shown.current === selected) return;
    shown.current = selected;
    const element = box.current;
    if (!element) return;
    const top = scrollFor(at, height, element.scrollTop, element.clientHeight, headHeight);
    if (top === undefined) return;
    const far = Math.abs(top - element.scrollTop) > element.clientHeight;
    element.scrollTop = far ? Math.max(0, at * height - element.clientHeight / 3) : top;
  }, [at, selected, height, box]);

  useEffect(() => {
    if (last >= rows.length - 20) onEnd();
  }, [last, rows.length, onEnd]);

  // Tasks that are not read yet are read when their place comes into sight.
  const asked = useRef(new Set<string>());
  useEffect(() => {
    for (const row of rows.slice(first, last)) {
      if (row.kind !== "gap" || !row.first || asked.current.has(`${row.key} ${row.missing}`)) continue;
      asked.current.add(`${row.key} ${row.missing}`);
      onGap(row);
    }
  }, [rows, first, last, onGap]);

  return (
    <div ref={box} className={css.box}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows fold is a treegrid */}
      <table className={css.tree} role="treegrid" aria-label="Tasks" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col" className={css.waits}>
              Waited
            </th>
            <th scope="col" className={css.runs}>
              Ran
            </th>
            <th scope="col" className={css.about}>
              Operator or reason
            </th>
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Space height={first * height} />}
          {rows.slice(first, last).map((row, i) =>
            row.kind === "task" ? (
              <TaskRow
                key={row.key}
                row={row}
                index={first + i}
                chosen={row.key === selected}
                reachable={row.key === selected || (at < 0 && first + i === 0)}
                span={span}
                frozen={frozen}
                onSelect={onSelect}
                onFold={onFold}
              />
            ) : (
              <tr key={row.key} aria-rowindex={first + i + 2} className={css.gap}>
                <td colSpan={4} style={{ paddingInlineStart: indent(row.depth) }}>
                  <Button look="bare" onClick={() => onGap(row)}>
                    {row.missing === 1 ? "1 more task" : `${row.missing.toLocaleString("en")} more tasks`} · show
                  </Button>
                </td>
              </tr>
            ),
          )}
          {last < rows.length && <Space height={(rows.length - last) * height} />}
        </tbody>
      </table>
    </div>
  );
}

const indent = (depth: number) => 12 + Math.min(depth, 24) * 16;

function Space({ height }: { readonly height: number }) {
  return (
    <tr>
      <td colSpan={4} style={{ blockSize: height, padding: 0, border: 0 }} />
    </tr>
  );
}

interface TaskRowProps {
  readonly row: Row & { kind: "task" };
  readonly index: number;
  readonly chosen: boolean;
  readonly reachable: boolean; // by the tab key
  readonly span: number;
  readonly frozen: boolean;
  readonly onSelect: (item: TreeItem) => void;
  readonly onFold: (item: TreeItem, open: boolean) => void;
}

const TaskRow = memo(function TaskRow({ row, index, chosen, reachable, span, frozen, onSelect, onFold }: TaskRowProps) {
  const { item, depth, open } = row;
  const state = item.canceling && item.finishedAt === null ? "kill_requested" : item.state;
  const waited = item.claimedAt && item.readyAt ? Date.parse(item.claimedAt) - Date.parse(item.readyAt) : undefined;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-level={depth + 1}
      aria-expanded={open}
      aria-selected={chosen}
      data-task={row.key}
      data-state={item.state}
      data-match={item.matches || undefined}
      tabIndex={reachable ? 0 : -1}
      className={css.task}
      onClick={() => onSelect(item)}
      onDoubleClick={() => open !== undefined && onFold(item, !open)}
    >
      <td style={{ paddingInlineStart: indent(depth) }}>
        <span className={css.name}>
          {open === undefined ? (
            <span className={css.leaf} />
          ) : (
            <button
              type="button"
              tabIndex={-1}
              className={css.fold}
              aria-label={open ? "Fold" : "Unfold"}
              onClick={(event) => {
                event.stopPropagation();
                onFold(item, !open);
              }}
            >
              {open ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronRight size={14} aria-hidden="true" />}
            </button>
          )}
          <Mark state={state} />
          <span className={css.words} title={item.fullName}>
            {item.name}
          </span>
          {item.try > 1 && (
            <span className={css.tries} title={`Try ${item.try}`}>
              ×{item.try}
            </span>
          )}
          {item.reused && <span className={css.tries}>of an earlier attempt</span>}
          {open === false && <CountsBar counts={item.counts ?? {}} small />}
        </span>
      </td>
      <td className={css.waits}>{waited === undefined || waited < 50 ? "" : duration(waited)}</td>
      <td className={css.runs}>
        {item.startedAt && (
          <>
            <span className={css.bar} aria-hidden="true">
              <span style={{ inlineSize: `${share(item, span) * 100}%` }} />
            </span>
            <span>
              <Length from={item.startedAt} to={item.finishedAt} frozen={frozen} />
            </span>
          </>
        )}
      </td>
      <td className={css.about} title={item.reason?.text}>
        {item.reason ? item.reason.text : aboutOf(item)}
      </td>
    </tr>
  );
});

function share(item: TreeItem, span: number): number {
  if (!item.startedAt || span <= 0) return 0;
  if (!item.finishedAt) return 1;
  return Math.min(1, Math.max(0.01, (Date.parse(item.finishedAt) - Date.parse(item.startedAt)) / span));
}

function aboutOf(item: TreeItem): string {
  if (item.kind === "planned") return `made at run time${item.operator ? ` · ${item.operator}>` : ""}`;
  if (item.operator) return `${item.operator}>`;
  const n = childrenOf(item);
  return n === 0 ? "" : n === 1 ? "1 task" : `${n.toLocaleString("en")} tasks`;
}
