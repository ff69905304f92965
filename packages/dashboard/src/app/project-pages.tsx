import { type ComponentType, lazy, Suspense } from "react";
import { paths } from "../address/paths.ts";
import type { BadgeProps, ProjectPage } from "../shell/pages.ts";
import { RailBadge } from "../shell/rail/RailBadge.tsx";
import type { CountedPage } from "./RailCount.tsx";

/** After the first screen, which needs none of it. */
const afterMs = 3_000;
const RailCount = lazy(async () => {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  // Without it there are no such counts, and nothing else is lost.
  const part = await import("./RailCount.tsx").catch(() => null);
  return { default: (part?.RailCount ?? (() => null)) as ComponentType<{ slug: string; page: CountedPage }> };
});

const counted = (page: CountedPage) =>
  function Counted({ slug }: BadgeProps) {
    return (
      <Suspense fallback={null}>
        <RailCount slug={slug} page={page} />
      </Suspense>
    );
  };

function Running({ stats }: BadgeProps) {
  const running = stats?.tasks_by_state?.started ?? 0;
  return <RailBadge count={running} says={`${running} running`} />;
}

function Offline({ stats }: BadgeProps) {
  const offline = stats?.agents_offline ?? 0;
  return <RailBadge count={offline} says={`${offline} offline`} isWrong />;
}

/** The pages of a project, once for rail, bottom bar, palette and keys. */
export const projectPages: readonly ProjectPage[] = [
  { id: "overview", label: "Overview", icon: "overview", group: "Watch", href: paths.project, key: "o", isOnBar: true },
  {
    id: "tasks",
    label: "Tasks",
    icon: "tasks",
    group: "Watch",
    href: paths.tasks,
    key: "t",
    isOnBar: true,
    Badge: Running,
  },
  {
    id: "issues",
    label: "Issues",
    icon: "issues",
    group: "Watch",
    href: paths.issues,
    key: "i",
    isOnBar: false,
    Badge: counted("issues"),
  },
  { id: "queues", label: "Queues", icon: "queues", group: "Fleet", href: paths.queues, key: "q", isOnBar: true },
  { id: "workers", label: "Workers", icon: "workers", group: "Fleet", href: paths.workers, key: "w", isOnBar: false },
  {
    id: "agents",
    label: "Agents",
    icon: "agents",
    group: "Fleet",
    href: paths.agents,
    key: "a",
    isOnBar: true,
    Badge: Offline,
  },
  {
    id: "commands",
    label: "Commands",
    icon: "commands",
    group: "Act",
    href: paths.commands,
    holds: (slug) => paths.bulkRetry(slug, ""),
    key: "c",
    isOnBar: false,
    Badge: counted("commands"),
  },
  {
    id: "dead-letters",
    label: "Dead letters",
    icon: "dead",
    group: "Act",
    href: paths.deadLetters,
    key: "d",
    isOnBar: false,
    Badge: counted("dead-letters"),
  },
  {
    id: "audit",
    label: "Audit",
    icon: "audit",
    group: "Record",
    href: paths.audit,
    key: "r",
    isOnBar: false,
    isAudit: true,
  },
  {
    id: "settings",
    label: "Settings",
    icon: "settings",
    group: "Foot",
    href: paths.projectSettings,
    key: "e",
    isOnBar: false,
  },
];
