import { useEffect, useRef } from "react";

/** Whether a key press belongs to something that takes text or opens on keys of its own. */
function isTyping(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [popover]") !== null
  );
}

export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Single-key shortcuts of a page, off while typing and while a modal is open. Keys are `event.key`. */
export function useKeys(map: KeyMap): void {
  const current = useRef(map);
  useEffect(() => {
    current.current = map;
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog:modal")) return;
      const action = current.current[event.key];
      if (!action) return;
      action(event);
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}
