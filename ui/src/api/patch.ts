import type { Page } from "./shapes";

interface Pages<T> {
  readonly pages: readonly Page<T>[];
  readonly pageParams: readonly unknown[];
}

/** Puts what an event says about an item into the pages that have it. Pages without it stay the same objects. */
export function patchPages<T extends { readonly id: string }, P extends Pages<T>>(
  pages: P | undefined,
  item: Partial<T> & { readonly id: string },
): P | undefined {
  if (!pages) return pages;
  let changed = false;
  const patched = pages.pages.map((page) => {
    const at = page.items.findIndex((known) => known.id === item.id);
    const known = page.items[at];
    if (!known) return page;
    changed = true;
    return { ...page, items: page.items.with(at, { ...known, ...item }) };
  });
  return changed ? { ...pages, pages: patched } : pages;
}
