import { type PointerEvent, type RefObject, useRef } from "react";
import css from "./LogView.module.css";

interface ScrollTrackProps {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly size: number; // bytes of the whole log
  readonly offset: number; // of what is at the top
  readonly from: number; // what is drawn
  readonly to: number;
  readonly marks: readonly number[]; // offsets of matches
  readonly onGo: (offset: number) => void;
}

/** The scroll bar of a log: its length stands for the bytes of the whole log, of which only a part is in memory. */
export function ScrollTrack({ box, size, offset, from, to, marks, onGo }: ScrollTrackProps) {
  const track = useRef<HTMLDivElement>(null);
  const held = useRef(false);
  const share = Math.min(1, Math.max(0.03, (to - from) / size));
  const go = (event: PointerEvent) => {
    const area = track.current?.getBoundingClientRect();
    if (!area) return;
    const at = Math.min(1, Math.max(0, (event.clientY - area.top - (area.height * share) / 2) / (area.height * (1 - share) || 1)));
    onGo(Math.floor(at * size * 0.9999));
  };
  return (
    <div
      ref={track}
      className={css.track}
      role="scrollbar"
      aria-label="Place in the log"
      aria-orientation="vertical"
      aria-controls={box.current?.id}
      aria-valuemin={0}
      aria-valuemax={size}
      aria-valuenow={offset}
      aria-valuetext={`${Math.round((offset / size) * 100)} %`}
      tabIndex={-1}
      onPointerDown={(event) => {
        held.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => held.current && go(event)}
      onPointerUp={() => {
        held.current = false;
      }}
    >
      <div className={css.thumb} style={{ insetBlockStart: `${(offset / size) * (1 - share) * 100}%`, blockSize: `${share * 100}%` }} />
      {places(marks, size).map((place) => (
        <div key={place} className={css.tick} style={{ insetBlockStart: `${place / 5}%` }} />
      ))}
    </div>
  );
}

/** Where marks stand, in parts of 500: more cannot be seen. */
function places(marks: readonly number[], size: number): readonly number[] {
  return [...new Set(marks.map((mark) => Math.round((mark / size) * 500)))];
}
