import { useLocation } from "@tanstack/react-router";
import { useCrumbs } from "../base/crumbs";
import { Empty } from "../base/Notice";
import { useTitle } from "../base/title";

/** Says that there is no such page. It leads nowhere by itself. */
export function NotFound() {
  const { pathname } = useLocation();
  useTitle("No such page");
  useCrumbs([{ text: "No such page" }]);
  return (
    <Empty title="There is no page at this address">
      <p>
        <code>{decoded(pathname)}</code> is not the address of a page. It may be of another version, or mistyped.
      </p>
      <p>
        <kbd>Ctrl K</kbd> finds pages by their names, and attempts by their numbers.
      </p>
    </Empty>
  );
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
