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
  /** What the project was called in the metrics of this process, when its series end; null when they go on. */
  readonly endedLabel: string | null;
}

/** The news as it goes from process to process. */
type Told = Omit<ProjectChange, "endedLabel"> & { readonly slug: string };

/** Projects: what everything else belongs to. */
export function createProjects(deps: ProjectsDeps) {
  const { database, clock, settings } = deps;
  const listeners = new Set<(news: ProjectChange) => void>();
  const others = new Broadcast<Told>(deps, "svc_project_changed");
  const directory = createDirectory(
    {
      bySlug: async (slug) => (await findBySlug(database.read, slug)) ?? null,
      role: async (userId, projectId) => (await findRole(database.read, userId, projectId)) as Role | null,
    },
    clock,
  );

  /** Labels of active projects in metrics. */
  const labels = createProjectLabels({ slugsOf: (ids) => slugsOf(database.read, ids), onError: deps.onError });

  function heard({ projectId, isActive, slug }: Told): void {
    directory.forget();
    const news = { projectId, isActive, endedLabel: labels.changed(projectId, isActive ? slug : null) };
    for (const listener of listeners) listener(news);
  }

  /** Here at once, elsewhere by notification; after a gap nothing that is remembered counts. */
  async function announce(row: ProjectRow): Promise<void> {
    const news = { projectId: row.id, isActive: row.is_active, slug: row.slug };
    heard(news);
    await others.send([news]);
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
    /** Forgets what the directory remembers: a membership changed. */
    forget: directory.forget,
    /** Projects that the actor may see, by name. */
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
      // The slug may be remembered as unknown.
      await announce(row);
      return publicProject(row);
    },
    /** Inserts a project inside the caller's transaction, which appends the audit entries that it gives. */
    add: (tx: Tx<Tables>, request: { body: CreateBody; creatorId: string; origin: AuditOrigin }) =>
      addProject(tx, deps, request),
    update,
    /** @throws ApiError `conflict` for the last active project. */
    async archive({ projectId, origin }: { projectId: string; origin: AuditOrigin }) {
      await update({ projectId, body: { is_active: false }, origin });
    },
    /** Calls `listener` when any process archived, restored or renamed a project; returns the way to stop. */
    onChanged(listener: (news: ProjectChange) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Starts hearing of changes in other processes. */
    start: () => others.listen(heard, { onGap: directory.forget }),
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
