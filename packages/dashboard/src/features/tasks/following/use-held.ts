import { useEffect, useState } from "react";

/** Why the rows must stay as they are for now. */
type Hold = "menu" | "text" | null;

/** Not the layer that says why a button is off: nobody works in it. */
const openMenu = '[popover]:popover-open:not([aria-hidden="true"]), dialog:modal';

function readHold(): Hold {
  if (document.querySelector(openMenu)) return "menu";
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return null;
  const from = selection.anchorNode;
  const element = from instanceof Element ? from : from?.parentElement;
  return element?.closest("[role=grid]") ? "text" : null;
}

function watchHold(listener: () => void): () => void {
  let frame = 0;
  const later = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(listener);
  };
  // A modal that a script opens tells nobody, but takes the focus. Neither toggle nor close bubbles.
  const events = ["selectionchange", "focusin", "click", "toggle", "close"];
  for (const event of events) document.addEventListener(event, later, true);
  return () => {
    cancelAnimationFrame(frame);
    for (const event of events) document.removeEventListener(event, later, true);
  };
}

/**
 * An open menu or dialog, or text marked in the list: whoever reads there must not have it changed under the eyes.
 * Looked at after what may have changed it and never while rendering: to read a selection forces a layout.
 */
export function useHold(): Hold {
  const [hold, setHold] = useState<Hold>(null);
  useEffect(() => watchHold(() => setHold(readHold())), []);
  return hold;
}
