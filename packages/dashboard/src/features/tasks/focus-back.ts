import { useEffect } from "react";

/**
 * When the focused element unmounts with the component, moves focus to the current row of the list, or to the main content
 * if there is none. If a dialog is open, waits for it to close.
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
