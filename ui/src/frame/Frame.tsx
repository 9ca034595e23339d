import { Outlet, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { copyText } from "../base/copy";
import { useShortcuts } from "../base/keys";
import { isPaused, setPaused } from "../live/stream";
import css from "./Frame.module.css";
import { Palette } from "./Palette";
import { places } from "./places";
import { Rail } from "./Rail";
import { Shortcuts } from "./Shortcuts";
import { TimeTip } from "./TimeTip";
import { TopBar } from "./TopBar";

/** What is around every page: rail, top bar, palette, help, and the keys that work everywhere. */
export function Frame() {
  const router = useRouter();
  const [palette, setPalette] = useState<string | undefined>();
  const [help, setHelp] = useState(false);
  const [menu, setMenu] = useState(false);
  const openPalette = useCallback((words = "") => setPalette(words), []);

  useShortcuts("Everywhere", [
    { keys: "Ctrl+k", about: "find a page or an action", run: () => openPalette() },
    { keys: "/", about: "the same", run: () => openPalette() },
    ...places
      .filter((place) => place.keys?.startsWith("g "))
      .map((place) => ({ keys: place.keys ?? "", about: place.title, run: () => void router.navigate({ to: place.to }) })),
    { keys: "y", about: "copy a link to this view", run: () => void copyText(location.href) },
    { keys: ".", about: "hold back live changes, or let them in", run: () => setPaused(!isPaused()) },
    { keys: "?", about: "shortcuts of this page", run: () => setHelp(true) },
  ]);

  useEffect(() => router.subscribe("onResolved", () => setMenu(false)), [router]);

  return (
    <div className={css.frame}>
      <button type="button" className={css.skip} onClick={() => document.getElementById("main")?.focus()}>
        Skip to the page
      </button>
      <TopBar onSearch={() => openPalette()} onHelp={() => setHelp(true)} menu={menu} onMenu={() => setMenu(!menu)} />
      <Rail open={menu} />
      <main id="main" className={css.main} tabIndex={-1}>
        <Outlet />
      </main>
      {palette !== undefined && <Palette words={palette} onClose={() => setPalette(undefined)} />}
      {help && <Shortcuts onClose={() => setHelp(false)} />}
      <TimeTip />
    </div>
  );
}
