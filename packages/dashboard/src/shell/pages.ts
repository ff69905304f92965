import type { ProjectStats } from "@svc/client";
import type { ComponentType } from "react";
import { paths } from "../address/paths.ts";

/** A page of a project, as rail, bottom bar, palette and keys name it; the app root lists them. */
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
  /** The live count beside its name in the rail. */
  Badge?: ComponentType<BadgeProps>;
}

export interface BadgeProps {
  slug: string;
  /** Figures of the project, once they were read. */
  stats: ProjectStats | undefined;
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

/** Whether an address is that page or one below it. A project's own address is above all the others. */
export function isOn(page: ProjectPage, slug: string, pathname: string): boolean {
  const href = page.href(slug);
  if (page.holds !== undefined && pathname.startsWith(page.holds(slug))) return true;
  return (
    pathname === href || pathname === `${href}/` || (href !== paths.project(slug) && pathname.startsWith(`${href}/`))
  );
}

/** The same sub-page in another project: what the project switcher keeps. Detail pages lead back to their list; bulk retries have none. */
export function samePageIn(slug: string, pathname: string): string {
  const section = /^\/p\/[^/]+\/([a-z-]+)/.exec(pathname)?.[1];
  if (section === "bulk-retries") return paths.commands(slug);
  return section ? `${paths.project(slug)}/${section}` : paths.project(slug);
}
