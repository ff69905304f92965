import type { Project, ProjectRole } from "@svc/client";

const archived = "The project is archived";

/** Why somebody of this role may not do in the project what needs another one; null where they may. */
export function whyNotAs(
  own: ProjectRole | null,
  project: Pick<Project, "is_active"> | undefined,
  role: "viewer" | "operator" | "admin" = "operator",
): string | null {
  if (role !== "viewer" && own !== "admin" && own !== role) return `Needs the ${role} role in this project`;
  return project?.is_active === false ? archived : null;
}

/** The same for what administrators keep of a project: its settings, members and agents. They can restore it. */
export function whyNotManage(own: ProjectRole | null, project: Pick<Project, "is_active"> | undefined): string | null {
  return whyNotAs(own, undefined, "admin") ?? (project?.is_active === false ? `${archived}; restore it first` : null);
}
