import { createStore } from "../ui/store.ts";

/** Overlays; only one is open at a time. Each is loaded when first opened. */
export type Overlay = "palette" | "keys" | "more" | "newProject" | "asked";

export interface OverlayProps {
  /** The project on screen; null on pages outside of one. */
  slug: string | null;
}

export const overlay = createStore<Overlay | null>(null);

export const openPalette = () => overlay.set("palette");
export const openKeys = () => overlay.set("keys");
export const openMore = () => overlay.set("more");
export const openNewProject = () => overlay.set("newProject");
export const closeOverlay = () => overlay.set(null);
