import { Fragment } from "react";
import { Dialog } from "../base/Dialog";
import { shortcutGroups } from "../base/keys";
import { usePrefs } from "../base/prefs";
import css from "./Shortcuts.module.css";

/** The keys of a shortcut, each as one. */
function Keys({ keys }: { readonly keys: string }) {
  return (
    <>
      {keys.split(" ").map((key, i) => (
        <Fragment key={key}>
          {i > 0 && <span className="quiet"> then </span>}
          {key.split(/\+(?=.)/).map((part) => (
            <kbd key={part}>{names[part] ?? part}</kbd>
          ))}
        </Fragment>
      ))}
    </>
  );
}

const names: Readonly<Record<string, string>> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const { letters } = usePrefs();
  return (
    <Dialog title="Shortcuts of this page" onClose={onClose} wide>
      {!letters && <p className="quiet">Single letters are switched off in the settings.</p>}
      <div className={css.groups}>
        {shortcutGroups()
          .filter((group) => group.list.length > 0)
          .map((group) => (
            <section key={group.title}>
              <h3>{group.title}</h3>
              <dl className={css.list}>
                {group.list.map((shortcut) => (
                  <div key={shortcut.keys}>
                    <dt>
                      <Keys keys={shortcut.keys} />
                    </dt>
                    <dd>{shortcut.about}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </Dialog>
  );
}
