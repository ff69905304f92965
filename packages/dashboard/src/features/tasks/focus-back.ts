import { useEffect } from "react";

/**
 * When what had the focus leaves with the component, the current row of the list gets it, or the page without one; after the end of the dialog
 * that would have given it back.
 */
export function useFocusBack(): void {
  useEffect(
    () => () => {
      const dialog = document.querySelector("dialog:modal");
      if (dialog) dialog.addEventListener("close", focusBack, { once: true });
      else focusBack();
    },
    [],
  );
}

function focusBack(): void {
  if (document.activeElement !== document.body) return;
  const row = document.querySelector<HTMLElement>("[role=row][tabindex='0']");
  (row ?? document.getElementById("main"))?.focus({ preventScroll: true });
}
