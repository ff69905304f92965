import { lazy } from "react";
import { useAgentsNotice } from "../features/agents/index.ts";
import { closeOverlay } from "../shell/overlay.ts";
import { Shell } from "../shell/Shell.tsx";
import type { ShellParts } from "../shell/shell-parts.ts";
import { projectPages } from "./project-pages.tsx";

/** The parts that features register with the shell. */
const parts: ShellParts = {
  pages: projectPages,
  overlays: {
    palette: () => import("./palette/AppPalette.tsx").then(({ AppPalette }) => ({ default: AppPalette })),
    keys: () => import("../palette/KeySheet.tsx").then(({ KeySheet }) => ({ default: KeySheet })),
    more: () => import("../palette/MoreSheet.tsx").then(({ MoreSheet }) => ({ default: MoreSheet })),
    asked: () =>
      import("../features/actions/registry/AskedDialog.tsx").then(({ AskedDialog }) => ({ default: AskedDialog })),
    newProject: () =>
      import("../features/projects/CreateProjectDialog.tsx").then(({ CreateProjectDialog }) => ({
        default: () => <CreateProjectDialog onClose={closeOverlay} />,
      })),
  },
  Tray: lazy(() =>
    import("../features/actions/commands/CommandTray.tsx").then((part) => ({ default: part.CommandTray })),
  ),
  useNotice: useAgentsNotice,
};

/** The shell around the pages of a signed-in user. */
export function SignedIn() {
  return <Shell parts={parts} />;
}
