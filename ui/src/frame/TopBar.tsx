import { Link } from "@tanstack/react-router";
import { Menu, Search } from "lucide-react";
import { Button } from "../base/Button";
import { useCurrentCrumbs } from "../base/crumbs";
import { setPrefs, usePrefs } from "../base/prefs";
import { localZone, type ZoneChoice } from "../time/format";
import { LiveMark } from "./LiveMark";
import css from "./TopBar.module.css";
import { UserMenu } from "./UserMenu";

interface TopBarProps {
  readonly onSearch: () => void;
  readonly onHelp: () => void;
  readonly menu: boolean;
  readonly onMenu: () => void;
}

export function TopBar({ onSearch, onHelp, menu, onMenu }: TopBarProps) {
  const crumbs = useCurrentCrumbs();
  const { zone } = usePrefs();
  return (
    <header className={css.bar}>
      <Button look="bare" className={css.menu} aria-expanded={menu} aria-label="Pages" onClick={onMenu}>
        <Menu size={18} aria-hidden="true" />
      </Button>
      <Link to="/" className={css.brand} aria-label="Trowel, first page">
        <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
          <path d="M3 3 21 9.5 9.5 21ZM15.2 17.3l2.1-2.1 3.2 3.2 1-1 7 7a2.2 2.2 0 0 1 0 3.1l-.9.9a2.2 2.2 0 0 1-3.1 0l-7-7 1-1Z" />
        </svg>
        <span>Trowel</span>
      </Link>
      <nav aria-label="Where this page is" className={css.crumbs}>
        <ol>
          {crumbs.map((crumb) => (
            <li key={`${crumb.to ?? ""} ${crumb.text}`}>
              {crumb.to ? <Link to={crumb.to}>{crumb.text}</Link> : <span aria-current="page">{crumb.text}</span>}
            </li>
          ))}
        </ol>
      </nav>
      <button type="button" className={css.search} aria-label="Find a page, an attempt, an action" onClick={onSearch}>
        <Search size={14} aria-hidden="true" />
        <span>Find a page, an attempt, an action</span>
        <kbd>Ctrl K</kbd>
      </button>
      <LiveMark />
      <select
        className={css.zone}
        aria-label="Zone of times"
        title={`Times of runs in the zone of the workflow, in yours (${localZone}), or in UTC. Session times always stand in the zone of their workflow.`}
        value={zone}
        onChange={(event) => setPrefs({ zone: event.target.value as ZoneChoice })}
      >
        <option value="workflow">Workflow time</option>
        <option value="local">Local time</option>
        <option value="utc">UTC</option>
      </select>
      <UserMenu onHelp={onHelp} />
    </header>
  );
}
