import type { LiveDeps } from "../../features/live/index.ts";
import type { Projects } from "../../features/projects/index.ts";
import type { Sessions } from "../../features/sessions/index.ts";
import { ApiError } from "../../platform/http/error-codes.ts";

/** The current role of a session in a project, read from the tables: the hub checks it on subscribe and every minute. */
export function watchRoles(deps: {
  sessions: Pick<Sessions, "holderOf">;
  projects: Pick<Projects, "get" | "find">;
}): LiveDeps["roleIn"] {
  return async (actor, projectId) => {
    // The actor dates from the connect, perhaps hours ago: only its session id is used.
    const holder = await deps.sessions.holderOf(actor.sessionId);
    if (holder === null) return "no_session";
    const project = await deps.projects.get(projectId).catch((error: unknown) => {
      if (error instanceof ApiError) return null;
      throw error;
    });
    if (project === null) return "no_membership";
    if (holder.isAdmin) return "admin";
    const entry = await deps.projects.find(project.slug, holder.userId);
    return entry?.role ?? "no_membership";
  };
}
