import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import { setPrefs, usePrefs } from "../base/prefs";
import css from "./Attempt.module.css";

interface SplitProps {
  readonly list: ReactNode;
  readonly panel: ReactNode;
}

const [least, most] = [0.2, 0.8];

/** A list, and beside it the panel of what is selected. What is between them is moved by pointer or by arrow keys. */
export function AttemptSplit({ list, panel }: SplitProps) {
  const { panel: share } = usePrefs();
  const whole = useRef<HTMLDivElement>(null);
  const held = useRef(false);
  const set = (wanted: number) => setPrefs({ panel: Math.min(most, Math.max(least, wanted)) });
  const drag = (event: PointerEvent) => {
    const area = whole.current?.getBoundingClientRect();
    if (!held.current || !area) return;
    const below = area.width < 900;
    set(below ? (area.bottom - event.clientY) / area.height : (area.right - event.clientX) / area.width);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: 0.03, ArrowUp: 0.03, ArrowRight: -0.03, ArrowDown: -0.03 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(share + step);
  };
  return (
    <div ref={whole} className={css.split} data-panel={panel ? true : undefined} style={{ ["--share" as string]: `${share * 100}%` }}>
      {list}
      {panel && (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved */}
          <div
            className={css.grip}
            role="separator"
            aria-label="Size of the panel"
            aria-valuenow={Math.round(share * 100)}
            aria-valuemin={least * 100}
            aria-valuemax={most * 100}
            tabIndex={0}
            onPointerDown={(event) => {
              held.current = true;
              event.currentTarget.setPointerCapture(event.pointerId);
            }}
            onPointerMove={drag}
            onPointerUp={() => {
              held.current = false;
            }}
            onKeyDown={onKeyDown}
          />
          <div className={css.beside}>{panel}</div>
        </>
      )}
    </div>
  );
}
