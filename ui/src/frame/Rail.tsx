import { Link } from "@tanstack/react-router";
import { places } from "./places";
import css from "./Rail.module.css";

export function Rail({ open }: { readonly open: boolean }) {
  const list = (low: boolean) =>
    places
      .filter((place) => Boolean(place.low) === low)
      .map((place) => (
        <li key={place.to}>
          <Link
            to={place.to}
            className={css.place}
            activeOptions={{ exact: place.to === "/", includeSearch: false }}
            activeProps={{ "data-here": true }}
            title={place.keys ? `${place.title} (${place.keys})` : place.title}
          >
            <place.icon size={16} strokeWidth={1.75} aria-hidden="true" />
            {place.title}
          </Link>
        </li>
      ));
  return (
    <nav className={css.rail} aria-label="Pages" data-open={open || undefined}>
      <ul>{list(false)}</ul>
      <ul className={css.low}>{list(true)}</ul>
    </nav>
  );
}
