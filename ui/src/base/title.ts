import { useEffect } from "react";

/** Names the page in the title of its tab: the thing, and its state. */
export function useTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), "Trowel"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
