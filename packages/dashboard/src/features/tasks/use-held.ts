import { useSyncExternalStore } from "react";

/** Why the rows must stay as they are for now. */
type Hold = "menu" | "text" | null;

function readHold(): Hold {
  if (document.querySelector("[popover]:popover-open, dialog:modal")) return "menu";
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return null;
  const from = selection.anchorNode;
  const element = from instanceof Element ? from : from?.parentElement;
  return element?.closest("[role=grid]") ? "text" : null;
}

function watchHold(listener: () => void): () => void {
  // Neither event bubbles. A modal is opened by script and tells nobody; its buttons come by a click or a key.
  const later = () => requestAnimationFrame(listener);
  document.addEventListener("selectionchange", listener);
  document.addEventListener("toggle", listener, true);
  document.addEventListener("click", later, true);
  document.addEventListener("close", later, true);
  return () => {
    document.removeEventListener("selectionchange", listener);
    document.removeEventListener("toggle", listener, true);
    document.removeEventListener("click", later, true);
    document.removeEventListener("close", later, true);
  };
}

/** An open menu or dialog, or text marked in the list: whoever reads there must not have it changed under the eyes. */
export function useHold(): Hold {
  return useSyncExternalStore(watchHold, readHold);
}
