import type { ReactNode } from "react";
import { lookOf } from "./look";
import css from "./Mark.module.css";
import { shapes } from "./shapes";

interface MarkProps {
  readonly state: string;
  /** Whether the word stands beside the shape. Without it the word is for readers of screens, and in the title. */
  readonly word?: boolean;
  readonly size?: number;
  /** Stands beside the shape in place of the word. */
  readonly label?: ReactNode;
}

/** The shape and word of a state. */
export function Mark({ state, word = false, size = 14, label }: MarkProps) {
  const look = lookOf(state);
  return (
    <span className={css.mark} title={word ? look.meaning : look.word}>
      <svg className={css[look.hue]} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path d={shapes[look.letter]} fillRule="evenodd" />
      </svg>
      <span className={word || label ? undefined : "unseen"}>{label ?? look.word}</span>
    </span>
  );
}
