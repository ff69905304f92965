import { toggleTheme } from "../../ui/appearance.ts";
import controls from "../../ui/controls.module.css";
import { Icon } from "../../ui/Icon.tsx";

export function ThemeSwitch() {
  return (
    <button
      type="button"
      className={`${controls.ib} lg`}
      aria-label="Switch light or dark"
      title="Switch light or dark"
      onClick={toggleTheme}
    >
      <Icon name="theme" />
    </button>
  );
}
