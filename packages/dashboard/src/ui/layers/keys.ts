import { useEffect, useLayoutEffect, useRef } from "react";
import { shortcutsSetting } from "../appearance.ts";
import { createStore } from "../store.ts";

/** Whether a key press goes to a field, a menu or a modal dialog. */
export function isTyped({ target }: Event): boolean {
  if (document.querySelector("dialog:modal") !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [popover]") !== null
  );
}

/** Keys are `event.key`, or two of them after each other: `g t`. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** What a part of the page says about its keys in the list that `?` opens. A constant of its module. */
export interface KeyHelp {
  title: string;
  /** Keys as in the map; several that do the same are written as `j, k`. */
  says: readonly (readonly [keys: string, words: string])[];
  /** Lower ones are listed first; a page's own keys have none. */
  rank?: number;
}

const maps = new Set<{ readonly current: KeyMap }>();
/** What the parts on screen say about their keys. */
export const keyHelp = createStore<readonly KeyHelp[]>([]);

/** The second key of a sequence must follow within this time. */
const sequenceMs = 1500;
let begun: { key: string; at: number } | null = null;

/** A character that follows another one within this time is typed in one go with it. */
const wordMs = 1000;
let typedAt = Number.NEGATIVE_INFINITY;

/** Whether a character is the rest of what was typed into a field or a dialog that has closed since. */
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
  // A character that AltGr makes arrives with Ctrl and Alt on Windows: `[` on many keyboards.
  const isChord = event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph"));
  const isInField = isTyped(event);
  if (continuesWord(event, event.key.length === 1 && !isChord, isInField) || isInField || isChord) return;
  if (event.defaultPrevented || event.isComposing) return;
  // Speech input types letters: keys of one character can be switched off. Those with a name, such as Escape, stay.
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

/** Shortcuts of a part of the page, off while typing and while a modal is open. */
export function useKeys(map: KeyMap, help?: KeyHelp): void {
  const current = useRef(map);
  // Before anything is painted: the next key may follow at once, and means what stands there then.
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

/** Adds to the list of keys for as long as the component is shown. */
function useKeyHelp(help: KeyHelp | undefined): void {
  useEffect(() => {
    if (help === undefined) return;
    keyHelp.set([...keyHelp.get(), help]);
    return () => keyHelp.set(keyHelp.get().filter((one) => one !== help));
  }, [help]);
}

/** Whether the key that this platform uses for shortcuts of an application is the command key. */
export const hasCommandKey = /Mac|iP(hone|ad)/.test(navigator.platform);
