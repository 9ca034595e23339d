import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "./Button";
import { useShortcuts } from "./keys";
import type { List } from "./list";
import { Failure, Loading } from "./Notice";
import { scrollFor, useRowHeight, useRows } from "./rows";
import css from "./Table.module.css";

/** Where a row leads to. */
export interface Target {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string | undefined>>;
}

export interface Column<T> {
  readonly title: ReactNode;
  readonly key: string;
  readonly width?: number; // in pixels; columns without one share what is left
  readonly narrow?: number; // the width on narrow pages; 0 hides the column, and so do columns from the third on unless it is given
  readonly end?: boolean; // numbers stand at the end
  readonly cell: (row: T) => ReactNode;
}

interface TableProps<T> {
  readonly what: string; // is in the list, as "schedules"
  readonly list: List<T>;
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  readonly target?: (row: T) => Target | undefined; // where the first column leads to
  readonly chosen?: string | undefined; // key of the chosen row
  readonly onChoose?: (key: string) => void;
  readonly empty: ReactNode; // a sentence in a part of a page, else an Empty
  /** The table stands in a page that scrolls, and has a button for more rows in place of a place to scroll. */
  readonly flow?: boolean;
}

const headHeight = 28;

/** A link whose place is known at run time only. */
export function GoLink({ target, children, ...rest }: { readonly target: Target; readonly children: ReactNode } & Record<string, unknown>) {
  return (
    <Link to={target.to} params={(target.params ?? {}) as never} search={(target.search ?? {}) as never} {...rest}>
      {children}
    </Link>
  );
}

/** A list as a table, of which only the rows in sight are drawn. Keys go through its rows. */
export function Table<T>({ what, list, columns, rowKey, target, chosen, onChoose, empty, flow = false }: TableProps<T>) {
  const { rows } = list;
  const box = useRef<HTMLDivElement>(null);
  const height = useRowHeight();
  const sight = useRows(box, rows.length, height, headHeight);
  const first = flow ? 0 : sight.first;
  const last = flow ? rows.length : sight.last;
  const found = chosen === undefined ? -1 : rows.findIndex((row) => rowKey(row) === chosen);
  const at = Math.max(0, found);

  const { more, reading, readMore } = list;
  useEffect(() => {
    if (!flow && more && !reading && last > rows.length - 40) readMore();
  }, [flow, more, reading, readMore, last, rows.length]);

  // The address follows a little later than keys are pressed.
  const place = useRef(found);
  useEffect(() => {
    place.current = found;
  }, [found]);
  const focus = (index: number) => {
    const row = rows[index];
    const element = box.current;
    if (row === undefined || !element) return;
    place.current = index;
    onChoose?.(rowKey(row));
    const top = flow ? undefined : scrollFor(index, height, element.scrollTop, element.clientHeight, headHeight);
    if (top !== undefined) element.scrollTop = top;
    requestAnimationFrame(() => element.querySelector<HTMLElement>(`[data-at="${index}"]`)?.focus({ preventScroll: !flow }));
  };
  const move = (step: number) => {
    focus(Math.min(Math.max(0, place.current + step), rows.length - 1));
  };
  const open = () => box.current?.querySelector<HTMLElement>(`[data-at="${at}"]`)?.click();
  useShortcuts(
    `List of ${what}`,
    onChoose
      ? [
          { keys: "j", about: "next", run: () => move(1) },
          { keys: "k", about: "previous", run: () => move(-1) },
          { keys: "ArrowDown", about: "next", run: () => move(1) },
          { keys: "ArrowUp", about: "previous", run: () => move(-1) },
          { keys: "o", about: "open it", run: open },
        ]
      : [],
  );

  if (list.error && rows.length === 0) return <Failure what={`read the ${what}`} error={list.error} retry={list.retry} />;
  if (list.pending) return <Loading what={what} rows={flow ? 3 : 16} />;
  if (rows.length === 0 && !list.more) return typeof empty === "string" ? <p className={css.none}>{empty}</p> : empty;

  const hidden = (column: Column<T>, i: number) => (column.narrow === undefined ? i > 1 : column.narrow === 0) || undefined;
  const least = columns.reduce((sum, column) => sum + (column.width ?? 160), 0);
  return (
    <div ref={box} className={flow ? css.flow : css.box} data-old={list.old || undefined}>
      <table
        className={css.table}
        aria-label={what}
        aria-rowcount={list.more ? -1 : rows.length + 1}
        style={{ "--least": `${least}px` } as object}
      >
        <colgroup>
          {columns.map((column, i) => (
            <col
              key={column.key}
              data-hidden={hidden(column, i)}
              style={
                {
                  "--wide": column.width ? `${column.width}px` : "auto",
                  "--narrow": column.narrow ? `${column.narrow}px` : "auto",
                } as object
              }
            />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th key={column.key} scope="col" className={column.end ? css.end : undefined} data-hidden={hidden(column, i)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Gap height={first * height} columns={columns.length} />}
          {rows.slice(first, last).map((row, i) => {
            const index = first + i;
            const goal = target?.(row);
            return (
              <tr
                key={rowKey(row)}
                aria-rowindex={index + 2}
                data-chosen={index === at || undefined}
                data-linked={Boolean(goal) || undefined}
                onFocus={() => onChoose && index !== found && onChoose(rowKey(row))}
              >
                {columns.map((column, at_) => (
                  <td key={column.key} className={column.end ? css.end : undefined} data-hidden={hidden(column, at_)}>
                    {at_ === 0 && goal ? (
                      <GoLink target={goal} className={css.main} data-at={index} tabIndex={index === at || !onChoose ? 0 : -1}>
                        {column.cell(row)}
                      </GoLink>
                    ) : (
                      column.cell(row)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          {last < rows.length && <Gap height={(rows.length - last) * height} columns={columns.length} />}
        </tbody>
      </table>
      {list.error ? <Failure compact what={`read more ${what}`} error={list.error} retry={list.retry} /> : null}
      {flow && list.more && !list.error && (
        <p className={css.more}>
          <Button onClick={readMore} disabled={reading}>
            {reading ? "Reading …" : `More ${what}`}
          </Button>
        </p>
      )}
    </div>
  );
}

function Gap({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr>
      <td colSpan={columns} style={{ blockSize: height, padding: 0, border: 0 }} />
    </tr>
  );
}
