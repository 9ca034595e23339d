import type { ReactNode } from "react";
import { wallOf } from "../time/format";
import css from "./Strip.module.css";
import { barsOf, type Span } from "./strip";

interface StripProps<T extends Span> {
  readonly items: readonly T[];
  readonly from: number;
  readonly to: number;
  readonly zone: string;
  readonly itemKey: (item: T) => string;
  readonly draw: (item: T, className: string | undefined, known: boolean) => ReactNode; // a link that fills its bar
}

const half = 1_800_000;

/** What comes in the near future, as bars along a line of time; those that overlap stand below each other. */
export function Strip<T extends Span>({ items, from, to, zone, itemKey, draw }: StripProps<T>) {
  const { bars, lanes } = barsOf(items, from, to, 12);
  const ticks: number[] = [];
  for (let at = Math.ceil(from / half) * half; at < to; at += half) ticks.push(at);
  const place = (ms: number) => `${((ms - from) / (to - from)) * 100}%`;
  return (
    <div className={css.strip}>
      <div className={css.axis} aria-hidden="true">
        {ticks.map((at) => (
          <span key={at} style={{ insetInlineStart: place(at) }}>
            {wallOf(at, zone).time.slice(0, 5)}
          </span>
        ))}
      </div>
      <ol className={css.lanes} style={{ "--lanes": lanes } as object}>
        {items.map((item, i) => {
          const bar = bars[i];
          if (!bar) return null;
          return (
            <li key={itemKey(item)} style={{ insetInlineStart: `${bar.left}%`, inlineSize: `${bar.width}%`, "--lane": bar.lane } as object}>
              <i
                className={item.length > 0 ? css.length : css.unknown}
                style={{ inlineSize: `${Math.min(100, (item.length / (to - from) / bar.width) * 10000)}%` }}
                aria-hidden="true"
              />
              {draw(item, css.link, item.length > 0)}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
