import { useEffect, useState } from "react";

/** What currently freezes the rows. */
type Freeze = "menu" | "text" | null;

/** Excludes the tooltip that explains a disabled button, which has no controls. */
const openMenu = '[popover]:popover-open:not([aria-hidden="true"]), dialog:modal';

function readFreeze(): Freeze {
  if (document.querySelector(openMenu)) return "menu";
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return null;
  const from = selection.anchorNode;
  const element = from instanceof Element ? from : from?.parentElement;
  return element?.closest("[role=grid]") ? "text" : null;
}

function watchFreeze(listener: () => void): () => void {
  let frame = 0;
  const later = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(listener);
  };
  // A modal opened by script fires no event but takes focus. Neither toggle nor close bubbles, so they are captured.
  const events = ["selectionchange", "focusin", "click", "toggle", "close"];
  for (const event of events) document.addEventListener(event, later, true);
  return () => {
    cancelAnimationFrame(frame);
    for (const event of events) document.removeEventListener(event, later, true);
  };
}

/**
 * Whether an open menu or dialog, or selected text in the list, freezes the rows. Checked after events that may change it
 * and never while rendering, as reading the selection forces a layout.
 */
export function useListFreeze(): Freeze {
  const [freeze, setFreeze] = useState<Freeze>(null);
  useEffect(() => watchFreeze(() => setFreeze(readFreeze())), []);
  return freeze;
}
