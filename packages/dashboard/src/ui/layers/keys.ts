import { useEffect, useLayoutEffect, useRef } from "react";
import { shortcutsSetting } from "../appearance.ts";
import { createStore } from "../store.ts";

/** Whether a key press belongs to a field, a menu or a modal dialog. */
export function isTyped({ target }: Event): boolean {
  if (document.querySelector("dialog:modal") !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [popover]") !== null
  );
}

/** Keys are `event.key`, or a sequence of two: `g t`. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** A component's entries in the shortcut list that `?` opens. Must be a module constant. */
export interface KeyHelp {
  title: string;
  /** Keys as in the map; alternatives are written as `j, k`. */
  entries: readonly (readonly [keys: string, text: string])[];
  /** Lower ranks are listed first; a page's own keys have none. */
  rank?: number;
}

const maps = new Set<{ readonly current: KeyMap }>();
/** The shortcut help of all components on screen. */
export const keyHelp = createStore<readonly KeyHelp[]>([]);

/** Time limit for the second key of a sequence. */
const sequenceMs = 1500;
let begun: { key: string; at: number } | null = null;

/** Characters within this time belong to the same typing burst. */
const wordMs = 1000;
let typedAt = Number.NEGATIVE_INFINITY;

/** Whether a character continues text typed into a field or dialog that has since closed. */
function continuesWord({ timeStamp }: KeyboardEvent, isCharacter: boolean, isInField: boolean): boolean {
  const continues = isCharacter && timeStamp - typedAt < wordMs;
  if (!isCharacter) typedAt = Number.NEGATIVE_INFINITY;
  else if (isInField || continues) typedAt = timeStamp;
  return continues;
}

function run(key: string, event: KeyboardEvent): boolean {
  const actions = [...maps].flatMap(({ current }) => current[key] ?? []);
  for (const action of actions) action(event);
  return actions.length > 0;
}

function pressed(event: KeyboardEvent): void {
  if (event.key === "Shift") return;
  const before = begun !== null && event.timeStamp - begun.at < sequenceMs ? begun.key : null;
  begun = null;
  // On Windows, AltGr characters, such as `[` on many keyboards, arrive with Ctrl and Alt.
  const isChord = event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph"));
  const isInField = isTyped(event);
  if (continuesWord(event, event.key.length === 1 && !isChord, isInField) || isInField || isChord) return;
  if (event.defaultPrevented || event.isComposing) return;
  // Speech input types characters, so single-character keys can be disabled (WCAG 2.1.4). Named keys such as Escape stay.
  if (event.key.length === 1 && shortcutsSetting.get() === "off") return;
  if (before !== null && run(`${before} ${event.key}`, event)) {
    event.preventDefault();
    return;
  }
  const begins = `${event.key} `;
  if ([...maps].some(({ current }) => Object.keys(current).some((key) => key.startsWith(begins)))) {
    begun = { key: event.key, at: event.timeStamp };
  }
  run(event.key, event);
}

/** Registers shortcuts, which are inactive while typing and while a modal is open. */
export function useKeys(map: KeyMap, help?: KeyHelp): void {
  const current = useRef(map);
  // A layout effect, because the next key may follow immediately and must reach the new handlers.
  useLayoutEffect(() => {
    current.current = map;
  });
  useLayoutEffect(() => {
    if (maps.size === 0) document.addEventListener("keydown", pressed);
    maps.add(current);
    return () => {
      maps.delete(current);
      if (maps.size === 0) document.removeEventListener("keydown", pressed);
    };
  }, []);
  useKeyHelp(help);
}

/** Adds to the shortcut list while the component is mounted. */
function useKeyHelp(help: KeyHelp | undefined): void {
  useEffect(() => {
    if (help === undefined) return;
    keyHelp.set([...keyHelp.get(), help]);
    return () => keyHelp.set(keyHelp.get().filter((one) => one !== help));
  }, [help]);
}

/** Whether the platform uses the Command key for application shortcuts. */
export const hasCommandKey = /Mac|iP(hone|ad)/.test(navigator.platform);
