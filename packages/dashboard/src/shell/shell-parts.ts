import { type ComponentType, createContext, type ReactNode, useContext, useMemo } from "react";
import { useMayAudit } from "../features/sessions/index.ts";
import type { Overlay, OverlayProps } from "./overlay.ts";
import type { ProjectPage } from "./pages.ts";

export type OverlayLoads = Readonly<Record<Overlay, () => Promise<{ default: ComponentType<OverlayProps> }>>>;

/** Parts of features that the shell renders. The app root registers them; the shell imports no feature. */
export interface ShellParts {
  /** In the order of the rail. */
  pages: readonly ProjectPage[];
  overlays: OverlayLoads;
  /** The commands sent from this browser; shown once there is one. */
  Tray: ComponentType<{ slug: string }>;
  /** The banner's content while the shell has none of its own; null without one. */
  useNotice: (slug: string | undefined) => ReactNode;
}

export const ShellPartsContext = createContext<ShellParts | null>(null);

export function useShellParts(): ShellParts {
  const parts = useContext(ShellPartsContext);
  if (parts === null) throw new Error("ShellPartsContext has no value");
  return parts;
}

/** The pages of a project that the user's role may see. */
export function useProjectPages(slug: string): readonly ProjectPage[] {
  const { pages } = useShellParts();
  const mayAudit = useMayAudit(slug);
  return useMemo(() => pages.filter((page) => mayAudit || page.isAudit !== true), [pages, mayAudit]);
}
