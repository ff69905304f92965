import { toggleTheme } from "../../ui/appearance.ts";
import { Button } from "../../ui/buttons/Button.tsx";

export function ThemeSwitch() {
  return (
    <Button
      variant="icon"
      icon="theme"
      className="lg"
      aria-label="Switch theme"
      title="Switch theme"
      onClick={toggleTheme}
    />
  );
}
