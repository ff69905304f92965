import type { ProjectStats } from "@svc/client";
import type { ComponentType } from "react";
import { paths } from "../address/paths.ts";

/** A page of a project in the rail, bottom bar, palette and shortcuts. Registered by the app root. */
export interface ProjectPage {
  id: string;
  label: string;
  icon: string;
  /** `Foot` is the end of the rail. */
  group: "Watch" | "Fleet" | "Act" | "Record" | "Foot";
  href: (slug: string) => string;
  /** Prefix of other paths that belong to it. */
  holds?: (slug: string) => string;
  /** The key after `g`. */
  key: string;
  /** Whether it is in a phone's bottom bar, which has room for four; the others are under More. */
  isOnBar: boolean;
  /** Only for users who may read the project's audit log. */
  isAudit?: boolean;
  /** The live count next to its label in the rail. */
  Badge?: ComponentType<BadgeProps>;
}

export interface BadgeProps {
  slug: string;
  /** Figures of the project, once loaded. */
  stats: ProjectStats | undefined;
}

/** Instance pages, for administrators. */
export interface AdminPage {
  id: string;
  label: string;
  icon: string;
  href: string;
  /** More search terms. */
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

/** Whether a path is this page or below it. A project's own path is a prefix of all others, so it must match exactly. */
export function isOn(page: ProjectPage, slug: string, pathname: string): boolean {
  const href = page.href(slug);
  if (page.holds !== undefined && pathname.startsWith(page.holds(slug))) return true;
  return (
    pathname === href || pathname === `${href}/` || (href !== paths.project(slug) && pathname.startsWith(`${href}/`))
  );
}

/** The same sub-page in another project, for the project switcher. Detail pages lead to their list; bulk retries, which have none, to the commands. */
export function samePageIn(slug: string, pathname: string): string {
  const section = /^\/p\/[^/]+\/([a-z-]+)/.exec(pathname)?.[1];
  if (section === "bulk-retries") return paths.commands(slug);
  return section ? `${paths.project(slug)}/${section}` : paths.project(slug);
}
