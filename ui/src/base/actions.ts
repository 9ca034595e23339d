import { useEffect, useRef } from "react";

/** Something that can be done with what is open, by a command of the palette. */
export interface Action {
  readonly title: string;
  readonly keys?: string;
  readonly run: () => void;
}

const sources: { current: readonly Action[] }[] = [];

/** Offers actions for as long as a component is shown. */
export function useActions(list: readonly Action[]): void {
  const source = useRef(list);
  source.current = list;
  useEffect(() => {
    sources.push(source);
    return () => {
      sources.splice(sources.indexOf(source), 1);
    };
  }, []);
}

/** The actions of what is open now, those of the innermost part first. */
export function currentActions(): readonly Action[] {
  return [...sources].reverse().flatMap((source) => source.current);
}
