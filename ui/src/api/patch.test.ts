import { expect, test } from "vitest";
import { patchPages } from "./patch";

interface Item {
  readonly id: string;
  readonly status: string;
}

const pages = {
  pages: [
    {
      items: [
        { id: "3", status: "running" },
        { id: "2", status: "success" },
      ] as readonly Item[],
      next: "a",
    },
    { items: [{ id: "1", status: "running" }] as readonly Item[], next: null },
  ],
  pageParams: ["", "a"],
};

test("an item is changed where it stands, and pages without it stay the same objects", () => {
  const patched = patchPages(pages, { id: "1", status: "error" } as Item);
  expect(patched?.pages[1]?.items).toEqual([{ id: "1", status: "error" }]);
  expect(patched?.pages[0]).toBe(pages.pages[0]);
  expect(patchPages(pages, { id: "9", status: "error" } as Item)).toBe(pages);
  expect(patchPages<Item, typeof pages>(undefined, { id: "9" })).toBeUndefined();
});
