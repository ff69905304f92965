import { Broadcast } from "../../platform/broadcast.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Actor, Role } from "../../platform/http/access/actor.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { ProjectRow, Tables } from "../../schema/tables/index.ts";
import type { AuditOrigin } from "../audit/index.ts";
import type { Memberships } from "../memberships/index.ts";
import { addProject, createProject } from "./create.ts";
import { createDirectory } from "./directory.ts";
import { createProjectLabels } from "./labels.ts";
import type { CreateBody, Project } from "./schemas.ts";
import { findBySlug, findProject, findRole, listVisible, slugsOf } from "./store.ts";
import { changeProject, type UpdateDeps, type UpdateRequest } from "./update.ts";

export interface ProjectsDeps extends UpdateDeps {
  readonly memberships: Pick<Memberships, "add">;
  readonly settings: { readonly SVC_ADMIN_PROJECT_LIST_CAP: number };
  readonly onError: (error: unknown) => void;
}

export interface ProjectChange {
  readonly projectId: string;
  readonly isActive: boolean;
  /** The project's former label in the metrics of this process when its series end; otherwise null. */
  readonly endedLabel: string | null;
}

/** The change event that is broadcast to other processes. */
type ChangeEvent = Omit<ProjectChange, "endedLabel"> & { readonly slug: string };

/** Projects: what everything else belongs to. */
export function createProjects(deps: ProjectsDeps) {
  const { database, clock, settings } = deps;
  const listeners = new Set<(change: ProjectChange) => void>();
  const others = new Broadcast<ChangeEvent>(deps, "svc_project_changed");
  const directory = createDirectory(
    {
      bySlug: async (slug) => (await findBySlug(database.read, slug)) ?? null,
      role: async (userId, projectId) => (await findRole(database.read, userId, projectId)) as Role | null,
    },
    clock,
  );

  /** Labels of active projects in metrics. */
  const labels = createProjectLabels({ slugsOf: (ids) => slugsOf(database.read, ids), onError: deps.onError });

  function applyChange({ projectId, isActive, slug }: ChangeEvent): void {
    directory.forget();
    const change = { projectId, isActive, endedLabel: labels.changed(projectId, isActive ? slug : null) };
    for (const listener of listeners) listener(change);
  }

  /** Applied here immediately, in other processes by notification; after a gap their caches are cleared. */
  async function announce(row: ProjectRow): Promise<void> {
    const event = { projectId: row.id, isActive: row.is_active, slug: row.slug };
    applyChange(event);
    await others.send([event]);
  }

  /** @throws ApiError `conflict`, see update.ts */
  async function update(request: UpdateRequest): Promise<Project> {
    const { before, after } = await changeProject(deps, request);
    if (after !== before) await announce(after);
    return publicProject(after);
  }

  return {
    find: directory.find,
    labels,
    /** Clears the directory's cache: a membership changed. */
    forget: directory.forget,
    /** Projects visible to the actor, by name. */
    async list(actor: Actor, { includeArchived }: { includeArchived: boolean }): Promise<Project[]> {
      const rows = await listVisible(database.read, {
        memberId: actor.user.is_admin ? null : actor.user.id,
        projectId: actor.kind === "api_key" ? actor.projectId : null,
        includeArchived,
        limit: settings.SVC_ADMIN_PROJECT_LIST_CAP,
      });
      return rows.map(publicProject);
    },
    /** @throws ApiError `not_found` */
    async get(projectId: string): Promise<Project> {
      const row = await findProject(database.read, projectId);
      if (row === undefined) throw new ApiError("not_found", { resource: "project" });
      return publicProject(row);
    },
    async isActive(projectId: string) {
      return (await findProject(database.read, projectId))?.is_active ?? false;
    },
    /** @throws ApiError `conflict`, see create.ts */
    async create(request: { body: CreateBody; creatorId: string; origin: AuditOrigin }): Promise<Project> {
      const row = await createProject(deps, request);
      // The slug may be cached as unknown.
      await announce(row);
      return publicProject(row);
    },
    /** Inserts a project in the caller's transaction, which must append the returned audit entries. */
    add: (tx: Tx<Tables>, request: { body: CreateBody; creatorId: string; origin: AuditOrigin }) =>
      addProject(tx, deps, request),
    update,
    /** @throws ApiError `conflict` for the last active project. */
    async archive({ projectId, origin }: { projectId: string; origin: AuditOrigin }) {
      await update({ projectId, body: { is_active: false }, origin });
    },
    /** Calls `listener` when any process archived, restored or renamed a project; returns an unsubscribe function. */
    onChanged(listener: (change: ProjectChange) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Starts listening for changes in other processes. */
    start: () => others.listen(applyChange, { onGap: directory.forget }),
    stop: () => others.stop(),
  };
}

export type Projects = ReturnType<typeof createProjects>;

/** A project as the API shows it. */
function publicProject(row: ProjectRow): Project {
  return {
    ...row,
    allowed_schedulers: row.allowed_schedulers === null ? null : (JSON.parse(row.allowed_schedulers) as string[]),
    settings: row.settings === null ? null : (JSON.parse(row.settings) as Record<string, unknown>),
  };
}
