import type { LiveDeps } from "../features/live/index.ts";
import type { Projects } from "../features/projects/index.ts";
import type { Sessions } from "../features/sessions/index.ts";
import { ApiError } from "../platform/http/error-codes.ts";

/** In which role a session may watch a project now, asked of the tables: the hub asks on subscribe and every minute. */
export function watchRoles(deps: {
  sessions: Pick<Sessions, "list">;
  projects: Pick<Projects, "get" | "find">;
}): LiveDeps["roleIn"] {
  return async (actor, projectId) => {
    const sessions = await deps.sessions.list(actor);
    if (!sessions.some((session) => session.is_current)) return "no_session";
    const project = await deps.projects.get(projectId).catch((error: unknown) => {
      if (error instanceof ApiError) return null;
      throw error;
    });
    if (project === null) return "no_membership";
    if (actor.user.is_admin) return "admin";
    const entry = await deps.projects.find(project.slug, actor.user.id);
    return entry?.role ?? "no_membership";
  };
}
