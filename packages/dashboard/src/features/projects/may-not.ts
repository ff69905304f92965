import type { Project, ProjectRole } from "@svc/client";

const archived = "The project is archived";

/** Why a user with this role may not do what needs another role in the project; null when allowed. */
export function whyNotAs(
  own: ProjectRole | null,
  project: Pick<Project, "is_active"> | undefined,
  role: "viewer" | "operator" | "admin" = "operator",
): string | null {
  if (role !== "viewer" && own !== "admin" && own !== role) return `Needs the ${role} role in this project`;
  return project?.is_active === false ? archived : null;
}

/** The same for settings, members and agents, which admins manage. Admins can restore an archived project. */
export function whyNotManage(own: ProjectRole | null, project: Pick<Project, "is_active"> | undefined): string | null {
  return whyNotAs(own, undefined, "admin") ?? (project?.is_active === false ? `${archived}; restore it first` : null);
}
