import { useEffect, useRef, useState } from "react";
import { Failure, Loading } from "../base/Notice";
import css from "./Code.module.css";
import type { Lines } from "./lines";
import type { Shown } from "./mirror";

/** Keeps something of the lazy part in an element for as long as it is shown. */
function useShown(show: (host: HTMLElement) => Promise<Shown>, key: string) {
  const host = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Shown>();
  const [error, setError] = useState<unknown>();
  const latest = useRef(show);
  latest.current = show;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for all that is shown
  useEffect(() => {
    let here: Shown | undefined;
    let gone = false;
    const element = host.current;
    if (!element) return;
    setError(undefined);
    latest.current(element).then(
      (made) => {
        if (gone) return made.destroy();
        here = made;
        setShown(made);
      },
      (caught) => setError(caught),
    );
    return () => {
      gone = true;
      setShown(undefined);
      here?.destroy();
    };
  }, [key]);
  return { host, shown, error };
}

interface CodeProps {
  readonly path: string;
  readonly text: string;
  readonly wrap: boolean;
  readonly lines: Lines | undefined;
  readonly follow?: boolean; // whether each change of the lines brings them in sight, not the first one alone
  readonly onLine: (line: number, extend: boolean) => void;
}

/** A file with line numbers; a press on a number chooses the line. */
export function Code({ path, text, wrap, lines, follow = false, onLine }: CodeProps) {
  const press = useRef(onLine);
  press.current = onLine;
  const { host, shown, error } = useShown(
    async (element) => (await import("./mirror")).showFile(element, path, text, wrap, (line, extend) => press.current(line, extend)),
    JSON.stringify([path, wrap, text]),
  );
  const first = useRef(true);
  useEffect(() => {
    if (!shown) {
      first.current = true;
      return;
    }
    shown.mark(lines, first.current || follow);
    first.current = false;
  }, [shown, lines, follow]);
  return (
    <>
      {error ? <Failure what="show the file" error={error} /> : !shown && <Loading what="the file" rows={12} />}
      <div ref={host} className={css.code} hidden={Boolean(error)} />
    </>
  );
}

interface CodeDiffProps {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly side: boolean;
  readonly wrap: boolean;
  readonly onShown: (shown: Shown | undefined) => void;
}

/** How a file has changed. */
export function CodeDiff({ path, before, after, side, wrap, onShown }: CodeDiffProps) {
  const { host, shown, error } = useShown(
    async (element) => (await import("./mirror")).showDiff(element, path, before, after, side, wrap),
    JSON.stringify([path, side, wrap, before, after]),
  );
  const tell = useRef(onShown);
  tell.current = onShown;
  useEffect(() => tell.current(shown), [shown]);
  return (
    <>
      {error ? <Failure what="show the difference" error={error} /> : !shown && <Loading what="the difference" rows={8} />}
      <div ref={host} className={css.diff} hidden={Boolean(error)} />
    </>
  );
}
