import { useCrumbs } from "../base/crumbs";
import { useTitle } from "../base/title";
import { places } from "../frame/places";
import { Mark } from "../state/Mark";
import { looks } from "../state/states.gen";
import css from "./Text.module.css";

/** States and shortcuts explained. */
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
