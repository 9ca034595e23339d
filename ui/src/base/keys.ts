import { useEffect, useRef } from "react";
import { currentPrefs } from "./prefs";

/** A shortcut: "j", "Shift+K", "Ctrl+k", or two in a row as "g s". */
export interface Shortcut {
  readonly keys: string;
  readonly about: string;
  readonly run: (event: KeyboardEvent) => void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly list: readonly Shortcut[];
}

const groups: { current: ShortcutGroup }[] = [];

/** The shortcuts of the page as it is, those of its innermost part first. */
export function shortcutGroups(): readonly ShortcutGroup[] {
  return groups.map((group) => group.current).reverse();
}

/** Adds shortcuts for as long as a component is shown. Those of the component that came last go first. */
export function useShortcuts(title: string, list: readonly Shortcut[]): void {
  const group = useRef<ShortcutGroup>({ title, list });
  group.current = { title, list };
  useEffect(() => {
    groups.push(group);
    return () => {
      groups.splice(groups.indexOf(group), 1);
    };
  }, []);
}

/** Reports whether a person types text at an element. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.tagName === "TEXTAREA" || target.tagName === "SELECT") return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit", "range"].includes(target.type);
}

/** The name of what was pressed, as shortcuts write it. */
export function nameOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const single = event.key.length === 1;
  let name = single && (event.ctrlKey || event.metaKey) ? event.key.toLowerCase() : event.key;
  if (event.shiftKey && (!single || /^[A-Z]$/.test(event.key))) name = `Shift+${name}`;
  if (event.altKey) name = `Alt+${name}`;
  if (event.ctrlKey || event.metaKey) name = `Ctrl+${name}`;
  return name;
}

let first = "";
let firstAt = 0;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = nameOf(event);
  const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
  if (letter && (isField(event.target) || !currentPrefs().letters)) return;
  if (isField(event.target) && !event.ctrlKey && !event.metaKey && event.key !== "Escape") return;
  if (name === "Enter" && event.target instanceof Element && event.target.closest("a, button, summary, label, input")) return;
  if (document.querySelector("dialog[open]") && !(event.target instanceof Element && event.target.closest("dialog[open]") === null)) return;
  const both = firstAt > 0 && event.timeStamp - firstAt < 1500 ? `${first} ${name}` : "";
  first = name;
  firstAt = event.timeStamp;
  for (const wanted of both === "" ? [name] : [both, name]) {
    for (const group of shortcutGroups()) {
      const found = group.list.find((shortcut) => shortcut.keys === wanted);
      if (found) {
        event.preventDefault();
        firstAt = 0;
        found.run(event);
        return;
      }
    }
  }
}

/** Begins to listen. */
export function listenToKeys(): void {
  document.addEventListener("keydown", onKeyDown);
}
