import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Choice } from "../base/Choice";
import { useCrumbs } from "../base/crumbs";
import { Page, Tabs } from "../base/Page";
import { setPrefs, usePrefs } from "../base/prefs";
import { useTitle } from "../base/title";
import { localZone, type ZoneChoice } from "../time/format";
import { SettingsMe } from "./SettingsMe";
import { SettingsTokens } from "./SettingsTokens";
import css from "./Text.module.css";

const route = getRouteApi("/settings");

const tabs = { taste: "This browser", me: "You", tokens: "Tokens" };

/** Taste, who one is, and tokens. */
export function Settings() {
  const search = route.useSearch();
  const tab = search.tab && search.tab in tabs ? (search.tab as keyof typeof tabs) : "taste";
  useTitle(tab === "taste" ? undefined : tabs[tab], "Settings");
  useCrumbs([{ text: "Settings" }]);
  return (
    <Page title="Settings" label="Settings" flow>
      <Tabs label="Parts of the settings" list={tabs} at={tab} target={(to) => ({ to: "/settings", search: { tab: to } })} />
      {tab === "taste" && <Taste />}
      {tab === "me" && <SettingsMe />}
      {tab === "tokens" && <SettingsTokens />}
    </Page>
  );
}

/** The taste of this browser. */
function Taste() {
  const prefs = usePrefs();
  return (
    <article className={css.text}>
      <h2 className="unseen">This browser</h2>
      <p>Kept in this browser alone.</p>
      <section>
        <Row title="Theme" about="The system's follows day and night if the system does.">
          <Choice
            bare
            title="Theme"
            value={prefs.theme}
            choices={{ system: "System", light: "Light", dark: "Dark" }}
            onChange={(theme) => setPrefs({ theme })}
          />
        </Row>
        <Row title="Density" about="Comfortable has larger text and rows.">
          <Choice
            bare
            title="Density"
            value={prefs.density}
            choices={{ dense: "Dense", comfortable: "Comfortable" }}
            onChange={(density) => setPrefs({ density })}
          />
        </Row>
        <Row title="Zone of times" about={`Of runs. Yours is ${localZone}. Session times stand in the zone of their workflow in any case.`}>
          <Choice<ZoneChoice>
            bare
            title="Zone of times"
            value={prefs.zone}
            choices={{ workflow: "Workflow", local: "Local", utc: "UTC" }}
            onChange={(zone) => setPrefs({ zone })}
          />
        </Row>
        <Row
          title="Single letters are shortcuts"
          about="Switch them off if you speak to your machine, or press keys by accident. Ctrl K works in any case."
        >
          <Choice
            bare
            title="Single letters are shortcuts"
            value={prefs.letters ? "on" : "off"}
            choices={{ on: "On", off: "Off" }}
            onChange={(letters) => setPrefs({ letters: letters === "on" })}
          />
        </Row>
      </section>
    </article>
  );
}

function Row({ title, about, children }: { readonly title: string; readonly about: string; readonly children: ReactNode }) {
  return (
    <div className={css.row}>
      <div>
        <h3>{title}</h3>
        <p>{about}</p>
      </div>
      {children}
    </div>
  );
}
