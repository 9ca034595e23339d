import { useEffect, useSyncExternalStore } from "react";

/** A part of the way to the page. Without `to` it is the page itself. */
export interface Crumb {
  readonly text: string;
  readonly to?: string;
}

let crumbs: readonly Crumb[] = [];
const listeners = new Set<() => void>();

function set(list: readonly Crumb[]): void {
  crumbs = list;
  for (const listener of listeners) listener();
}

/** Says where the page is, for the top bar. */
export function useCrumbs(list: readonly Crumb[]): void {
  const key = JSON.stringify(list);
  useEffect(() => {
    set(JSON.parse(key) as Crumb[]);
    return () => set([]);
  }, [key]);
}

export function useCurrentCrumbs(): readonly Crumb[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => crumbs,
  );
}
