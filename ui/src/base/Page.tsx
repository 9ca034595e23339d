import type { ReactNode } from "react";
import css from "./Page.module.css";
import { GoLink, type Target } from "./Table";

interface PageProps {
  readonly title: ReactNode;
  readonly label: string; // the name of the page for readers of screens
  readonly head?: ReactNode; // beside the title: filters
  readonly actions?: ReactNode; // at the end of the head
  readonly children: ReactNode;
  /** The page scrolls as a whole, in place of a list in it. */
  readonly flow?: boolean;
}

/** A page with a head that stays. */
export function Page({ title, label, head, actions, children, flow = false }: PageProps) {
  return (
    <section className={css.page} aria-label={label}>
      <header className={css.head}>
        <h1>{title}</h1>
        {head}
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      {flow ? <div className={css.flow}>{children}</div> : children}
    </section>
  );
}

/** A part of a page, with a heading. */
export function Part({ title, beside, children }: { readonly title: string; readonly beside?: ReactNode; readonly children: ReactNode }) {
  return (
    <section className={css.part} aria-label={title}>
      <div className={css.partHead}>
        <h2>{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  );
}

/** What there is to know about a thing, each with its name. */
export function Facts({ list }: { readonly list: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={css.facts}>
      {list
        .filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface TabsProps {
  readonly label: string;
  readonly list: Readonly<Record<string, string>>;
  readonly at: string;
  readonly target: (tab: string) => Target;
}

/** Parts of a page of which one is shown, each with an address. */
export function Tabs({ label, list, at, target }: TabsProps) {
  return (
    <nav className={css.tabs} aria-label={label}>
      {Object.entries(list).map(([tab, title]) => (
        <GoLink key={tab} target={target(tab)} aria-current={tab === at ? "page" : undefined}>
          {title}
        </GoLink>
      ))}
    </nav>
  );
}

/** A sentence that something needs attention. */
export function Note({ children }: { readonly children: ReactNode }) {
  return (
    <div className={css.note} role="status">
      {children}
    </div>
  );
}
