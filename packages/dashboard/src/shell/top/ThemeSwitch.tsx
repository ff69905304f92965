import { toggleTheme } from "../../ui/appearance.ts";
import { Button } from "../../ui/buttons/Button.tsx";

export function ThemeSwitch() {
  return (
    <Button
      variant="icon"
      icon="theme"
      className="lg"
      aria-label="Switch light or dark"
      title="Switch light or dark"
      onClick={toggleTheme}
    />
  );
}
