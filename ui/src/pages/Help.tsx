import { useCrumbs } from "../base/crumbs";
import { useTitle } from "../base/title";
import { places } from "../frame/places";
import { Mark } from "../state/Mark";
import { looks } from "../state/states.gen";
import css from "./Text.module.css";

const keys: readonly (readonly [string, string])[] = [
  ["Ctrl K", "find a page, an attempt by its number, or an action"],
  ["j k", "next and previous row of a list; arrows do the same"],
  ["Enter", "open the row; o does the same"],
  ["Esc", "close what is open"],
  ["r", "run the workflow that is open"],
  ["n N", "next change, or the one before, in the difference of a file"],
  ["y", "copy a link to this view"],
  [".", "hold back live changes, or let them in"],
];

/** Pages, keys, states and times explained. */
export function Help() {
  useTitle("Help");
  useCrumbs([{ text: "Help" }]);
  return (
    <article className={css.text}>
      <h1>Help</h1>
      <section>
        <h2>Pages</h2>
        <table className={css.table}>
          <tbody>
            {places.map((place) => (
              <tr key={place.to}>
                <th scope="row">{place.title}</th>
                <td>{place.about}</td>
                <td>{place.keys && <kbd>{place.keys}</kbd>}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          <kbd>Ctrl K</kbd> finds pages and what can be done with what is open. <kbd>?</kbd> lists the keys of the page that is open. Every
          view has its own address: <kbd>y</kbd> copies it.
        </p>
      </section>
      <section>
        <h2>Keys</h2>
        <table className={css.table}>
          <tbody>
            {keys.map(([key, about]) => (
              <tr key={key}>
                <th scope="row">
                  <kbd>{key}</kbd>
                </th>
                <td>{about}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          <kbd>?</kbd> on a page lists all of its keys. Single letters do nothing while you type in a field, and can be switched off in the
          settings.
        </p>
      </section>
      <section>
        <h2>Before something is done</h2>
        <p>
          Whatever changes something opens a dialog first. It says what exactly will happen, as the server sees it at that moment, and its
          button names the effect. If the thing was changed in the meantime, nothing is done, and the dialog shows the new state. What was
          done, by whom and why stands in the audit.
        </p>
        <p>
          Buttons of what your role may not do are not there. <i>Read</i> sees everything. <i>Operator</i> pushes, runs and kills workflows,
          sets secrets, changes schedules, pools and agents. <i>Admin</i> makes tokens, too. A token may be for one project alone.
        </p>
      </section>
      <section>
        <h2>Why does it not run?</h2>
        <p>
          Everything that waits has a reason. Of a session that was never started, the page of its schedule or workflow says it: under “Why
          no session?”. Pools show who holds their slots and who is next, queues whether an agent serves them.
        </p>
      </section>
      <section>
        <h2>States of tasks</h2>
        <p>Shape and word say the state; colour only helps. From the worst to the best:</p>
        <table className={css.table}>
          <tbody>
            {looks
              .filter((look) => look.hue !== "")
              .map((look) => (
                <tr key={look.state}>
                  <th scope="row">
                    <Mark state={look.state} word size={16} />
                  </th>
                  <td>{look.meaning}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </section>
      <section>
        <h2>Times</h2>
        <p>
          A session time is the name of a session and stands in the zone of its workflow, always. When something was made, started or ended
          is shown in the zone that the top bar says. Point at a time, or press it, to see it in all zones.
        </p>
      </section>
      <section>
        <h2>In a terminal</h2>
        <p>
          Everything here can be done with commands, too: <code>trowel help</code>. The REST API is described in{" "}
          <a href="api/openapi.json">api/openapi.json</a>.
        </p>
      </section>
    </article>
  );
}
