import { type ReactNode, useId } from "react";
import { wallOf } from "../time/format";
import css from "./History.module.css";
import { areaOf, niceTop, type Step } from "./steps";

interface HistoryProps {
  readonly title: string;
  readonly steps: readonly Step[];
  readonly length: number; // of a step, in milliseconds
  readonly from: number;
  readonly to: number;
  readonly zone: string;
  readonly limit?: number | undefined; // a line across
  readonly look: "solid" | "hatched";
  readonly beside?: ReactNode;
}

const width = 1000;
const height = 80;

/** How something has gone over time, in steps. */
export function History({ title, steps, length, from, to, zone, limit, look, beside }: HistoryProps) {
  const id = useId();
  const most = steps.reduce((max, step) => Math.max(max, step.value), 0);
  const top = niceTop(Math.max(most, limit ?? 0));
  const box = { from, to, top, width, height };
  const hours: number[] = [];
  for (let at = Math.ceil(from / 14_400_000) * 14_400_000; at < to; at += 14_400_000) hours.push(at);
  const place = (ms: number) => ((ms - from) / (to - from)) * width;
  return (
    <figure className={css.history}>
      <figcaption>
        {title} <span className="quiet">{beside}</span>
      </figcaption>
      <div className={css.plot}>
        <span className={css.top} aria-hidden="true">
          {top}
        </span>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: at most ${most}`}>
          <defs>
            <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse">
              <path d="M0 6 6 0" className={css.hatch} />
            </pattern>
          </defs>
          {hours.map((at) => (
            <path key={at} d={`M${place(at)} 0V${height}`} className={css.grid} />
          ))}
          <path d={areaOf(steps, length, box)} className={css[look]} fill={look === "hatched" ? `url(#${id})` : undefined} />
          {limit !== undefined && <path d={`M0 ${height - (limit / top) * height}H${width}`} className={css.limit} />}
          <path d={`M0 ${height}H${width}`} className={css.base} />
        </svg>
        <div className={css.axis} aria-hidden="true">
          {hours.map((at) => (
            <span key={at} style={{ insetInlineStart: `${place(at) / 10}%` }}>
              {wallOf(at, zone).time.slice(0, 5)}
            </span>
          ))}
        </div>
      </div>
    </figure>
  );
}
