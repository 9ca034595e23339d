import type { Counts } from "../api/attempt";
import { badness, lookOf } from "../state/look";
import css from "./CountsBar.module.css";

interface CountsBarProps {
  readonly counts: Counts;
  readonly small?: boolean;
}

/** How many tasks are in which state, as parts of a bar, the worst first. */
export function CountsBar({ counts, small = false }: CountsBarProps) {
  const parts = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .sort(([a], [b]) => badness(a) - badness(b));
  if (parts.length === 0) return null;
  const words = parts.map(([state, n]) => `${n.toLocaleString("en")} ${lookOf(state).word}`).join(", ");
  return (
    <span className={small ? css.small : css.bar} role="img" aria-label={words} title={words}>
      {parts.map(([state, n]) => (
        <span key={state} className={css[lookOf(state).hue]} style={{ flexGrow: n }} />
      ))}
    </span>
  );
}
