import { useEffect } from "react";

/** When what had the focus leaves with the component, the current row of the list gets it, or the page without one. */
export function useFocusBack(): void {
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return;
      const row = document.querySelector<HTMLElement>("[role=row][tabindex='0']");
      (row ?? document.getElementById("main"))?.focus({ preventScroll: true });
    },
    [],
  );
}
