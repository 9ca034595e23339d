import { useEffect, useState } from "react";
import { get } from "../api/call";

/** A line of the log in which the words were found. */
export interface Match {
  readonly offset: number; // of its line
  readonly line: number;
  readonly column: number;
  readonly length: number;
  readonly text: string;
}

interface SearchPage {
  readonly items: readonly Match[];
  readonly next: string | null;
  readonly scannedTo: number;
  readonly size: number;
  readonly matches: number;
}

export interface Search {
  readonly words: string;
  readonly regex: boolean;
  readonly exact: boolean; // capital letters matter
}

export interface SearchState {
  readonly found: readonly Match[];
  readonly scanned: number; // share of the log
  readonly running: boolean;
  readonly error: unknown;
}

const idle: SearchState = { found: [], scanned: 0, running: false, error: undefined };
const most = 10_000; // matches that are kept

/** Searches the whole log on the server, piece by piece. A new search ends the one before. */
export function useSearch(attempt: string, task: string, tryNumber: number | undefined, search: Search | undefined): SearchState {
  const [state, setState] = useState<SearchState>(idle);
  const { words = "", regex = false, exact = false } = search ?? {};
  useEffect(() => {
    setState(idle);
    if (words === "") return;
    const control = new AbortController();
    const run = async () => {
      let cursor: string | undefined;
      let found: readonly Match[] = [];
      do {
        const page: SearchPage = await get<SearchPage>(
          `api/attempts/${encodeURIComponent(attempt)}/log/search`,
          { task, try: tryNumber, q: words, regex, case: exact, limit: 500, cursor },
          control.signal,
        );
        found = [...found, ...page.items];
        cursor = page.next ?? undefined;
        const more = cursor !== undefined && found.length < most;
        setState({ found, scanned: page.size === 0 ? 1 : page.scannedTo / page.size, running: more, error: undefined });
        if (!more) return;
      } while (cursor !== undefined);
    };
    const timer = setTimeout(() => {
      setState({ ...idle, running: true });
      run().catch((error: unknown) => {
        if (!control.signal.aborted) setState((before) => ({ ...before, running: false, error }));
      });
    }, 200);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [attempt, task, tryNumber, words, regex, exact]);
  return state;
}
