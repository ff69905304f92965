import { useSyncExternalStore } from "react";
import { createStore } from "./store.ts";

// Display settings, per browser. Each is a data attribute of <html>, which theme-boot.js sets before the first paint; the first value of each
// is the default and has no attribute.
const root = document.documentElement;

export interface Setting<Value extends string> {
  readonly values: readonly Value[];
  get(): Value;
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

function createSetting<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Setting<Value> {
  const [first] = values;
  const { get, set, subscribe } = createStore<Value>(values.find((value) => value === root.dataset[name]) ?? first);
  return {
    values,
    get,
    subscribe,
    set(value) {
      if (value === first) delete root.dataset[name];
      else root.dataset[name] = value;
      keep(`svc.${name}`, value === first ? null : value);
      set(value);
    },
  };
}

function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage may be blocked; the choice lasts for this page.
  }
}

export function useSetting<Value extends string>(setting: Setting<Value>): Value {
  return useSyncExternalStore(setting.subscribe, setting.get);
}

export type Density = "compact" | "default" | "comfortable";
export const themeSetting = createSetting("theme", ["system", "light", "dark"]);
export const contrastSetting = createSetting("contrast", ["system", "more"]);
const densitySetting = createSetting<Density>("density", ["default", "compact", "comfortable"]);
export const railSetting = createSetting("rail", ["wide", "narrow"]);
/** Single-key shortcuts, see layers/keys.ts. */
export const shortcutsSetting = createSetting("shortcuts", ["on", "off"]);

/** Row heights in px at a 16 px root, equal to the `--row` token. */
export const rowHeights: Record<Density, number> = { compact: 32, default: 36, comfortable: 44 };
export const densities: readonly Density[] = ["compact", "default", "comfortable"];

export function useDensity(): Density {
  return useSetting(densitySetting);
}

export const setDensity = densitySetting.set;

export function toggleTheme(): void {
  const theme = themeSetting.get();
  const isDark = theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  themeSetting.set(isDark ? "light" : "dark");
}

export function toggleRail(): void {
  railSetting.set(railSetting.get() === "narrow" ? "wide" : "narrow");
}

const phone = matchMedia("(max-width: 47.99rem)");
export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      phone.addEventListener("change", listener);
      return () => phone.removeEventListener("change", listener);
    },
    () => phone.matches,
  );
}
