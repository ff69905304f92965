import { type ComponentType, createContext, type ReactNode, useContext, useMemo } from "react";
import { useMayAudit } from "../features/sessions/index.ts";
import type { Overlay, OverlayProps } from "./overlay.ts";
import type { ProjectPage } from "./pages.ts";

export type OverlayLoads = Readonly<Record<Overlay, () => Promise<{ default: ComponentType<OverlayProps> }>>>;

/** What the shell shows of the features. The app root registers it; the shell itself imports none of them. */
export interface ShellParts {
  /** In the order of the rail. */
  pages: readonly ProjectPage[];
  overlays: OverlayLoads;
  /** The commands that were issued here; shown once there is one. */
  Tray: ComponentType<{ slug: string }>;
  /** The line of the banner while the shell has none of its own; null without one. */
  useNotice: (slug: string | undefined) => ReactNode;
}

export const ShellPartsContext = createContext<ShellParts | null>(null);

export function useShellParts(): ShellParts {
  const parts = useContext(ShellPartsContext);
  if (parts === null) throw new Error("the shell stands without its parts");
  return parts;
}

/** The pages of a project that its reader can ever use. */
export function useProjectPages(slug: string): readonly ProjectPage[] {
  const { pages } = useShellParts();
  const mayAudit = useMayAudit(slug);
  return useMemo(() => pages.filter((page) => mayAudit || page.isAudit !== true), [pages, mayAudit]);
}
