import type { ReactNode } from "react";
import { Choice } from "../base/Choice";
import { useCrumbs } from "../base/crumbs";
import { setPrefs, usePrefs } from "../base/prefs";
import { useTitle } from "../base/title";
import { localZone, type ZoneChoice } from "../time/format";
import css from "./Text.module.css";

/** The taste of this browser. */
export function Settings() {
  const prefs = usePrefs();
  useTitle("Settings");
  useCrumbs([{ text: "Settings" }]);
  return (
    <article className={css.text}>
      <h1>Settings</h1>
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
