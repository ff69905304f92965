import type { Project, ProjectRole } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { roleIn, useMe } from "../sessions/index.ts";
import { projectQuery } from "./queries.ts";

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

/** The same of who is signed in. */
export function useMayNot(slug: string, role?: "viewer" | "admin"): string | null {
  const project = useQuery(projectQuery(slug));
  return whyNotAs(roleIn(useMe(), slug), project.data, role);
}

/** Why somebody may not change what administrators keep of the project: its settings, members and agents. They can restore it. */
export function useMayNotManage(slug: string): string | null {
  const reason = useMayNot(slug, "admin");
  return reason === archived ? `${archived}; restore it first` : reason;
}
