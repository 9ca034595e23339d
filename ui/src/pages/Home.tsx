import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";
import { get } from "../api/call";
import type { Overview } from "../api/overview";
import { useCrumbs } from "../base/crumbs";
import { isField, useShortcuts } from "../base/keys";
import { Empty, Failure, Loading } from "../base/Notice";
import { usePrefs } from "../base/prefs";
import { useTitle } from "../base/title";
import { useReread } from "../live/reread";
import { useLiveness } from "../live/stream";
import { serverNow } from "../time/clock";
import { zoneOf } from "../time/format";
import css from "./Home.module.css";
import { HomeFailures } from "./HomeFailures";
import { HomeHealth, HomeNeeds } from "./HomeHealth";
import { HomeLate, HomeRunning, HomeWaiting } from "./HomeRunning";
import { changesIn, sinceText } from "./HomeSince";
import { HomeUpcoming } from "./HomeUpcoming";

const route = getRouteApi("/");

const staleEvery = 10_000; // between two readings while events do not come

/** What a person needs to know first: what failed, is late, runs, waits and comes. */
export function Home() {
  const { since, at } = route.useSearch();
  const navigate = useNavigate({ from: "/" });
  const queries = useQueryClient();
  const { zone } = usePrefs();
  const lost = useLiveness().state === "lost";
  const home = zoneOf(zone === "workflow" ? "local" : zone, undefined);
  const found = useQuery({
    queryKey: ["overview", since ?? "", home],
    queryFn: ({ signal }) => get<Overview>("api/overview", { since: sinceText(since, serverNow(), home) }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (lost ? staleEvery : state.data ? changesIn(state.data, serverNow()) : false),
  });
  useReread(
    "site",
    useCallback(() => void queries.invalidateQueries({ queryKey: ["overview"] }), [queries]),
  );
  const overview = found.data;
  const failed = overview?.failures.filter((failure) => !failure.recovered) ?? [];
  useTitle(failed.length > 0 ? `${failed.length} failed · Home` : "Home");
  useCrumbs([{ text: "Home" }]);

  const box = useRef<HTMLDivElement>(null);
  const chosen = failed.find((failure) => failure.cause === at) ?? failed[0];
  const links = (which: string) => [...(box.current?.querySelectorAll<HTMLElement>(which) ?? [])];
  const move = (which: string, step: number) => {
    const list = links(which);
    const active = document.activeElement;
    let here = active instanceof HTMLElement ? list.indexOf(active) : -1;
    if (here < 0) here = list.findIndex((link) => link.dataset.group !== undefined && link.dataset.group === chosen?.cause);
    list[Math.min(Math.max(0, here + step), list.length - 1)]?.focus();
  };
  const open = () => {
    if (!chosen) return;
    const { attemptId, taskId } = chosen.sample;
    void navigate({ to: "/attempts/$id", params: { id: attemptId }, search: { task: taskId, tab: "log" } });
  };
  useShortcuts("Home", [
    { keys: "j", about: "next row", run: () => move("[data-row]", 1) },
    { keys: "k", about: "previous row", run: () => move("[data-row]", -1) },
    { keys: "ArrowDown", about: "next row", run: () => move("[data-row]", 1) },
    { keys: "ArrowUp", about: "previous row", run: () => move("[data-row]", -1) },
    { keys: "n", about: "next cause of failures", run: () => move("[data-group]", 1) },
    { keys: "Shift+N", about: "previous cause of failures", run: () => move("[data-group]", -1) },
    { keys: "Enter", about: "open the chosen failure at its error", run: open },
    { keys: "o", about: "the same", run: open },
  ]);

  // The first cause has the focus when the page opens, unless the person is doing something else.
  const began = useRef(false);
  const ready = overview !== undefined;
  useEffect(() => {
    if (!ready || began.current) return;
    began.current = true;
    if (isField(document.activeElement) || document.querySelector("dialog[open]")) return;
    box.current?.querySelector<HTMLElement>("[data-group][data-chosen]")?.focus({ preventScroll: true });
  }, [ready]);

  return (
    <section className={css.page} aria-label="Home" data-old={found.isPlaceholderData || undefined}>
      <h1 className="unseen">Home</h1>
      <div ref={box} className={css.flow}>
        {!overview && found.isError ? (
          <Failure what="read what goes on" error={found.error} retry={() => void found.refetch()} />
        ) : !overview ? (
          <Loading what="what goes on" rows={16} />
        ) : (
          <>
            {found.isError && <Failure compact what="read what goes on now" error={found.error} retry={() => void found.refetch()} />}
            <HomeHealth health={overview.health} counts={overview.counts} />
            <HomeNeeds needs={overview.needsYou} zone={zone} />
            <HomeFailures
              failures={overview.failures}
              since={since}
              chosen={chosen?.cause}
              zone={zone}
              onChoose={(cause) =>
                cause !== chosen?.cause && void navigate({ search: (before) => ({ ...before, at: cause }), replace: true })
              }
              onSince={(wanted) => void navigate({ search: () => (wanted === "night" ? {} : { since: wanted }) })}
            />
            <HomeLate late={overview.late} zone={zone} />
            {isIdle(overview) ? (
              <Empty title="Nothing runs, waits or is planned" command="trowel push PROJECT">
                <p>Push a folder with workflows, or start one: what runs now and in the next 2 hours stands here.</p>
              </Empty>
            ) : (
              <>
                <HomeRunning running={overview.running} zone={zone} frozen={lost} />
                <HomeWaiting waiting={overview.waiting} />
                <HomeUpcoming upcoming={overview.upcoming} zone={home} now={found.dataUpdatedAt} />
              </>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function isIdle(overview: Overview): boolean {
  return overview.running.length === 0 && overview.waiting.length === 0 && overview.upcoming.length === 0;
}
