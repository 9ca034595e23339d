import { useSyncExternalStore } from "react";
import { root } from "../api/place";
import type { ZoneChoice } from "../time/format";

/** What a person prefers in this browser. It is taste alone: nothing here is secret, and nothing is needed to find a page again. */
export interface Prefs {
  readonly theme: "system" | "light" | "dark";
  readonly density: "dense" | "comfortable";
  readonly zone: ZoneChoice;
  readonly letters: boolean; // whether single letters are shortcuts
  readonly wrap: boolean; // whether long log lines are wrapped
  readonly stamps: boolean; // whether log lines have numbers
  readonly panel: number; // share of the details panel
  readonly filters: Readonly<Record<string, string>>; // last filters by list
}

const defaults: Prefs = {
  theme: "system",
  density: "dense",
  zone: "workflow",
  letters: true,
  wrap: false,
  stamps: true,
  panel: 0.46,
  filters: {},
};

const key = `trowel${root}`;
const listeners = new Set<() => void>();
let prefs: Prefs = read();

function read(): Prefs {
  try {
    const text = localStorage.getItem(key);
    return text === null ? defaults : { ...defaults, ...(JSON.parse(text) as Partial<Prefs>) };
  } catch {
    return defaults; // storage is off, or has what another version wrote
  }
}

/** Changes preferences, in all tabs. */
export function setPrefs(changed: Partial<Prefs>): void {
  prefs = { ...prefs, ...changed };
  try {
    localStorage.setItem(key, JSON.stringify(prefs));
  } catch {
    // They hold for this page alone then.
  }
  applyPrefs();
  for (const listener of listeners) listener();
}

/** Sets what style sheets look at. The cookie lets the server write the theme into the page, so that it never flashes. */
export function applyPrefs(): void {
  const page = document.documentElement.dataset;
  if (prefs.theme === "system") delete page.theme;
  else page.theme = prefs.theme;
  page.density = prefs.density;
  const life = prefs.theme === "system" ? 0 : 31536000;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store needs a secure context, which this page may lack
  document.cookie = `trowel-theme=${prefs.theme}; Path=${root}; Max-Age=${life}; SameSite=Lax`;
}

addEventListener("storage", (event) => {
  if (event.key !== key) return;
  prefs = read();
  applyPrefs();
  for (const listener of listeners) listener();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The preferences, kept up to date. */
export function usePrefs(): Prefs {
  return useSyncExternalStore(subscribe, () => prefs);
}

export function currentPrefs(): Prefs {
  return prefs;
}
