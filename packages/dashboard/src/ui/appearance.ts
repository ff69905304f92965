import { useSyncExternalStore } from "react";
import { createStore } from "./store.ts";

// Lives on <html>, where theme-boot.js has put it before the first paint.
export type Density = "compact" | "default" | "comfortable";
const root = document.documentElement;

const density = createStore<Density>((root.dataset.density as Density | undefined) ?? "default");
/** Row heights in px at a 16 px root, as the `--row` token has them. */
export const rowHeights: Record<Density, number> = { compact: 32, default: 36, comfortable: 44 };

export function useDensity(): Density {
  return useSyncExternalStore(density.subscribe, density.get);
}

export function setDensity(value: Density): void {
  if (value === "default") delete root.dataset.density;
  else root.dataset.density = value;
  keep("svc.density", value === "default" ? null : value);
  density.set(value);
}

function isDark(): boolean {
  if (root.dataset.theme) return root.dataset.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function toggleTheme(): void {
  root.dataset.theme = isDark() ? "light" : "dark";
  keep("svc.theme", root.dataset.theme);
}

export function toggleRail(): void {
  const narrow = root.dataset.rail === "narrow";
  if (narrow) delete root.dataset.rail;
  else root.dataset.rail = "narrow";
  keep("svc.rail", narrow ? null : "narrow");
}

function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage may be blocked; the choice lasts for this page.
  }
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
