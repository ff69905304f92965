import { paths } from "../address/paths.ts";

// The pages of a project, once for rail, bottom bar, palette and keys.
export interface ProjectPage {
  id: string;
  label: string;
  icon: string;
  /** `Foot` is the end of the rail. */
  group: "Watch" | "Fleet" | "Act" | "Record" | "Foot";
  href: (slug: string) => string;
  /** Beginning of other addresses that belong to it. */
  holds?: (slug: string) => string;
  /** After `g`. */
  key: string;
  /** In the bottom bar of a phone, which has room for four; the others are behind More. */
  isOnBar: boolean;
  /** For those only who may read the audit trail of the project. */
  isAudit?: boolean;
}

/** Pages about the instance, for its administrators. */
export interface AdminPage {
  id: string;
  label: string;
  icon: string;
  href: string;
  /** Other words to find it by. */
  also: string;
}

export const adminPages: readonly AdminPage[] = [
  { id: "users", label: "Users", icon: "users", href: paths.users(), also: "instance admin accounts people passwords" },
  { id: "settings", label: "Settings", icon: "settings", href: paths.settings(), also: "instance admin environment" },
  {
    id: "versions",
    label: "Versions",
    icon: "download",
    href: paths.versions(),
    also: "instance admin update release",
  },
  { id: "health", label: "Health", icon: "overview", href: paths.health(), also: "instance admin system diagnostics" },
];

const projectPages: readonly ProjectPage[] = [
  { id: "overview", label: "Overview", icon: "overview", group: "Watch", href: paths.project, key: "o", isOnBar: true },
  {
    id: "tasks",
    label: "Tasks",
    icon: "tasks",
    group: "Watch",
    href: paths.tasks,
    key: "t",
    isOnBar: true,
  },
  { id: "issues", label: "Issues", icon: "issues", group: "Watch", href: paths.issues, key: "i", isOnBar: false },
  { id: "queues", label: "Queues", icon: "queues", group: "Fleet", href: paths.queues, key: "q", isOnBar: true },
  { id: "workers", label: "Workers", icon: "workers", group: "Fleet", href: paths.workers, key: "w", isOnBar: false },
  { id: "agents", label: "Agents", icon: "agents", group: "Fleet", href: paths.agents, key: "a", isOnBar: true },
  {
    id: "commands",
    label: "Commands",
    icon: "commands",
    group: "Act",
    href: paths.commands,
    holds: (slug) => paths.bulkRetry(slug, ""),
    key: "c",
    isOnBar: false,
  },
  {
    id: "dead-letters",
    label: "Dead letters",
    icon: "dead",
    group: "Act",
    href: paths.deadLetters,
    key: "d",
    isOnBar: false,
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

/** The pages that a person can ever use. */
export const pagesFor = ({ mayAudit }: { mayAudit: boolean }): readonly ProjectPage[] =>
  projectPages.filter((page) => mayAudit || page.isAudit !== true);

/** Whether an address is that page or one below it. A project's own address is above all the others. */
export function isOn(page: ProjectPage, slug: string, pathname: string): boolean {
  const href = page.href(slug);
  if (page.holds !== undefined && pathname.startsWith(page.holds(slug))) return true;
  return (
    pathname === href || pathname === `${href}/` || (href !== paths.project(slug) && pathname.startsWith(`${href}/`))
  );
}
