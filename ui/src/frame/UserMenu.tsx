import { Link } from "@tanstack/react-router";
import { CircleUser } from "lucide-react";
import { useId } from "react";
import { Button } from "../base/Button";
import { Choice } from "../base/Choice";
import { setPrefs, usePrefs } from "../base/prefs";
import css from "./UserMenu.module.css";

/** Taste of this browser, and help. */
export function UserMenu({ onHelp }: { readonly onHelp: () => void }) {
  const id = useId();
  const prefs = usePrefs();
  const hide = () => document.getElementById(id)?.hidePopover();
  return (
    <div className={css.user}>
      <Button look="bare" popoverTarget={id} aria-label="You and your preferences" title="You and your preferences">
        <CircleUser size={18} strokeWidth={1.75} aria-hidden="true" />
      </Button>
      <div id={id} popover="auto" className={css.menu}>
        <Choice
          title="Theme"
          value={prefs.theme}
          choices={{ system: "System", light: "Light", dark: "Dark" }}
          onChange={(theme) => setPrefs({ theme })}
        />
        <Choice
          title="Density"
          value={prefs.density}
          choices={{ dense: "Dense", comfortable: "Comfortable" }}
          onChange={(density) => setPrefs({ density })}
        />
        <hr />
        <button
          type="button"
          className={css.item}
          onClick={() => {
            hide();
            onHelp();
          }}
        >
          Shortcuts of this page <kbd>?</kbd>
        </button>
        <Link to="/settings" className={css.item} onClick={hide}>
          Settings
        </Link>
      </div>
    </div>
  );
}
