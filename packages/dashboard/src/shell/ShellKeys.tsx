import { useMemo } from "react";
import { connection } from "../live/live.ts";
import { toggleRail } from "../ui/appearance.ts";
import { useGo } from "../ui/buttons/AppLink.tsx";
import { type KeyHelp, useKeys } from "../ui/layers/keys.ts";
import { openKeys } from "./overlay.ts";
import type { ProjectPage } from "./pages.ts";
import { useProjectPages } from "./shell-parts.ts";

const everywhere: KeyHelp = {
  title: "Everywhere",
  rank: 2,
  entries: [
    ["Mod k", "Find or go to"],
    ["?", "Keyboard shortcuts"],
    ["L", "Pause or resume updates"],
  ],
};
const helpOf = (pages: readonly ProjectPage[]): KeyHelp => ({
  title: "In a project",
  rank: 1,
  entries: [
    ...pages.map(({ key, label }) => [`g ${key}`, label] as const),
    [".", "Time range"],
    ["[", "Collapse or expand the sidebar"],
  ],
});

const togglePause = () => connection.setPaused(!connection.facts().isPaused);

/** Shortcuts that work on every page. */
export function ShellKeys({ slug }: { slug: string | null }) {
  useKeys({ "?": openKeys, L: togglePause }, everywhere);
  return slug === null ? null : <ProjectKeys slug={slug} />;
}

function ProjectKeys({ slug }: { slug: string }) {
  const go = useGo();
  const pages = useProjectPages(slug);
  const moves = pages.map(({ key, href }) => [`g ${key}`, () => go(href(slug))]);
  useKeys(
    { ...Object.fromEntries(moves), "[": toggleRail },
    useMemo(() => helpOf(pages), [pages]),
  );
  return null;
}
