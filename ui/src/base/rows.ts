import { type RefObject, useEffect, useLayoutEffect, useState } from "react";

/** Rows of one height, of which only those in sight are drawn. */
export interface RowWindow {
  readonly first: number; // index of the first row to draw
  readonly last: number; // index behind the last one
}

/** The rows to draw for a place in a list: those in sight, and some on both sides. */
export function windowOf(count: number, height: number, top: number, sight: number, around = 12): RowWindow {
  if (count <= 0 || height <= 0) return { first: 0, last: 0 };
  const first = Math.min(Math.max(0, Math.floor(top / height) - around), count);
  const last = Math.min(count, Math.max(first, Math.ceil((top + sight) / height) + around));
  return { first: Math.min(first, Math.max(0, last - 1)), last };
}

/** Where to scroll to so that a row is in sight, or nothing if it is. `head` is the height of what covers the top. */
export function scrollFor(index: number, height: number, top: number, sight: number, head = 0): number | undefined {
  const begin = index * height;
  if (begin < top + 0) return Math.max(0, begin);
  if (begin + height > top + sight - head) return begin + height - sight + head;
  return undefined;
}

/** Follows the scrolling of an element and returns the rows to draw. */
export function useRows(box: RefObject<HTMLElement | null>, count: number, height: number, head = 0): RowWindow {
  const [place, setPlace] = useState({ top: 0, sight: 800 });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    const look = () => {
      frame = 0;
      setPlace((before) => {
        const top = Math.max(0, element.scrollTop - head);
        const sight = element.clientHeight;
        return before.top === top && before.sight === sight ? before : { top, sight };
      });
    };
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    element.addEventListener("scroll", later, { passive: true });
    const observer = new ResizeObserver(later);
    observer.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener("scroll", later);
      observer.disconnect();
    };
  }, [box, head]);
  // What was scrolled while rows were added is drawn before it is painted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new number of rows is the reason to look
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const top = Math.max(0, element.scrollTop - head);
    setPlace((before) => (before.top === top ? before : { top, sight: element.clientHeight }));
  }, [box, head, count]);
  return windowOf(count, height, place.top, place.sight);
}

/** The height of a row, which depends on density and on how one points. */
export function useRowHeight(): number {
  const [height, setHeight] = useState(readRowHeight);
  useEffect(() => {
    const look = () => setHeight(readRowHeight());
    const observer = new MutationObserver(look);
    observer.observe(document.documentElement, { attributeFilter: ["data-density"] });
    const coarse = matchMedia("(pointer: coarse)");
    coarse.addEventListener("change", look);
    return () => {
      observer.disconnect();
      coarse.removeEventListener("change", look);
    };
  }, []);
  return height;
}

function readRowHeight(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 28;
}
