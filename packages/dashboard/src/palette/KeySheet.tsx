import { Fragment, useSyncExternalStore } from "react";
import { closeOverlay } from "../shell/overlay.ts";
import { shortcutsSetting, useSetting } from "../ui/appearance.ts";
import { Check } from "../ui/buttons/Checkbox.tsx";
import { hasCommandKey, keyHelp } from "../ui/layers/keys.ts";
import { Dialog } from "../ui/layers/Layers.tsx";
import css from "./palette.module.css";

/** The keyboard shortcuts of everything on screen. */
export function KeySheet() {
  const help = useSyncExternalStore(keyHelp.subscribe, keyHelp.get);
  const parts = [...help].sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
  const shortcuts = useSetting(shortcutsSetting);
  return (
    <Dialog title="Keyboard shortcuts" onClose={closeOverlay}>
      {parts.map(({ title, entries }) => (
        <section key={title} className={css.keys}>
          <h3>{title}</h3>
          <dl>
            {entries.map(([keys, text]) => (
              <div key={keys}>
                <dt>
                  <Keys text={keys} />
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Check
        checked={shortcuts === "on"}
        onChange={(event) => shortcutsSetting.set(event.currentTarget.checked ? "on" : "off")}
      >
        Enable single-key shortcuts
      </Check>
    </Dialog>
  );
}

/** Renders `g t` as two keys, `j, k` as alternatives, and `Mod k` with the platform's modifier. */
export function Keys({ text }: { text: string }) {
  return (
    <span className={css.kbds}>
      {text.split(", ").map((choice, at) => (
        <Fragment key={choice}>
          {at > 0 ? " or " : null}
          {choice.split(" ").map((key) => (
            <kbd key={key}>{nameOf(key, choice)}</kbd>
          ))}
        </Fragment>
      ))}
    </span>
  );
}

function nameOf(key: string, choice: string): string {
  if (key === "Mod") return hasCommandKey ? "⌘" : "Ctrl";
  if (choice.startsWith("Mod ")) return key.toUpperCase();
  return /^[A-Z]$/.test(key) ? `Shift ${key}` : key;
}
