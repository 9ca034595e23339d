import { useRouter } from "@tanstack/react-router";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { type Action, currentActions } from "../base/actions";
import css from "./Palette.module.css";
import { places } from "./places";
import { ranked } from "./rank";

interface Entry {
  readonly group: string;
  readonly title: string;
  readonly about?: string;
  readonly keys?: string | undefined;
  readonly run: () => void;
}

interface PaletteProps {
  readonly words: string;
  readonly onClose: () => void;
}

/** What the words stand for by themselves: "#12" is an attempt, and so is a number. */
function named(words: string, go: (to: string) => void): Entry[] {
  const id = /^#?(\d{1,19})$/.exec(words.trim())?.[1];
  if (!id) return [];
  return [
    { group: "By number", title: `Attempt ${id}`, run: () => go(`/attempts/${id}`) },
    { group: "By number", title: `Session ${id}`, run: () => go(`/sessions/${id}`) },
  ];
}

/** One field for pages, and for actions on what is open. */
export function Palette({ words, onClose }: PaletteProps) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(words);
  const [at, setAt] = useState(0);
  const id = useId();
  const [actions] = useState<readonly Action[]>(currentActions);

  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);

  const entries = useMemo(() => {
    const onlyActions = text.startsWith(">");
    const sought = text.replace(/^>/, "").trim();
    const go = (to: string) => void router.navigate({ to });
    const done = ranked(
      sought,
      actions.map((action): Entry => ({ group: "On this page", ...action })),
      (entry) => entry.title,
    );
    if (onlyActions) return done;
    const pages = ranked(
      sought,
      places.map((place): Entry => ({ group: "Pages", title: place.title, about: place.about, keys: place.keys, run: () => go(place.to) })),
      (entry) => `${entry.title} ${entry.about ?? ""}`,
    );
    return [...named(text, go), ...done, ...pages];
  }, [text, actions, router]);

  const here = Math.min(at, entries.length - 1);
  const option = (i: number) => `${id}-${i}`;
  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && entries.length > 0) {
      event.preventDefault();
      setAt((here + step + entries.length) % entries.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      take(entries[here]);
    }
  };
  useEffect(() => {
    document.getElementById(`${id}-${here}`)?.scrollIntoView({ block: "nearest" });
  }, [id, here]);

  return (
    <dialog
      ref={dialog}
      className={css.palette}
      aria-label="Find"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={onKeyDown}
    >
      <input
        className={css.field}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={here >= 0 ? option(here) : undefined}
        aria-label="Words, #number, or > for actions alone"
        placeholder="Words, #number, or > for actions"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Found" className={css.list} tabIndex={-1}>
        {entries.map((entry, i) => (
          // The field has the focus and its keys; a press only chooses.
          // biome-ignore lint/a11y/useFocusableInteractive: options of a combobox are not focused
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          <div
            key={`${entry.group} ${entry.title}`}
            id={option(i)}
            role="option"
            aria-selected={i === here}
            className={css.entry}
            onClick={() => take(entry)}
          >
            <span className={css.group}>{entries[i - 1]?.group === entry.group ? "" : entry.group}</span>
            <span className={css.title}>
              {entry.title}
              {entry.about && <span className="quiet"> – {entry.about}</span>}
            </span>
            {entry.keys && <kbd>{entry.keys}</kbd>}
          </div>
        ))}
        {entries.length === 0 && <p className={css.none}>Nothing has these words. A number opens that attempt or session.</p>}
      </div>
    </dialog>
  );
}
