import { canonicalText } from "@svc/protocol";
import type { Tx } from "../../platform/database/database.ts";
import { lockSubject } from "../../platform/database/dialects/locks.ts";
import { isUniqueViolation } from "../../platform/database/errors.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Core, ProjectRow, Tables } from "../../schema/tables/index.ts";
import type { Audit, AuditEntry, AuditOrigin } from "../audit/index.ts";
import { jsonOrNull } from "./create.ts";
import { requireSchedulers, requireSettingsSize, requireSlug } from "./rules.ts";
import type { UpdateBody } from "./schemas.ts";
import { isOtherProjectActive, lockProject, updateProject } from "./store.ts";

export interface UpdateDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  /** Cancels the commands of a project that have not been sent to an agent. */
  readonly cancelCommands: (tx: Tx<Tables>, projectId: string, now: Date) => Promise<CancelledCommands>;
  readonly followProject: FollowProject;
}

/** An archived project's schedules are not fired; those of a restored one continue from now on. Called with the project locked. */
export type FollowProject = (
  tx: Tx<Tables>,
  change: { readonly projectId: string; readonly isActive: boolean; readonly now: Date },
) => Promise<unknown>;

interface CancelledCommands {
  readonly count: number;
  /** Call it after the commit. */
  announce(): void;
}

/** The changes of a PATCH body, and the archiving of DELETE. */
type ProjectChanges = Omit<UpdateBody, "is_active"> & { readonly is_active?: boolean };

export interface UpdateRequest {
  readonly projectId: string;
  readonly body: ProjectChanges;
  readonly origin: AuditOrigin;
}

type Changes = Partial<Omit<ProjectRow, "id" | "created_at">>;

/**
 * Changes a project; `is_active` archives or restores it.
 *
 * @returns the project before and after the change; the same row twice when nothing changed.
 * @throws ApiError `conflict` for slug and scheduler rules, for the last active project, and for changing an archived project without
 * restoring it; `not_found` when it does not exist.
 */
export async function changeProject(
  { database, clock, audit, cancelCommands, followProject }: UpdateDeps,
  { projectId, body, origin }: UpdateRequest,
): Promise<{ before: ProjectRow; after: ProjectRow }> {
  if (body.slug !== undefined) requireSlug(body.slug);
  const now = clock.now();
  // Schedules are changed in transactions of their own.
  const isFollowed = body.is_active !== undefined;
  try {
    const changed = await database.write(
      async (tx) => {
        // Taken before the row in every transaction that archives, so that the lock order is the same everywhere.
        if (body.is_active === false) await lockSubject(tx, "active-projects");
        const before = await lockProject(tx, projectId);
        if (before === undefined) throw new ApiError("not_found", { resource: "project" });
        const changes = changesOf(before, body);
        if (Object.keys(changes).length === 0) return { before, after: before, cancelled: null };
        await requireAllowed(tx, before, changes);
        const after = { ...before, ...changes, updated_at: now };
        await updateProject(tx, projectId, { ...changes, updated_at: now });
        const { is_active: isActive } = changes;
        if (isActive !== undefined) await followProject(tx, { projectId, isActive, now });
        const cancelled = changes.is_active === false ? await cancelCommands(tx, projectId, now) : null;
        await audit.append(tx, auditEntries(after, changes, { origin, commandsCancelled: cancelled?.count ?? 0 }));
        return { before, after, cancelled };
      },
      { alone: isFollowed },
    );
    changed.cancelled?.announce();
    return changed;
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError("conflict", { reason: "slug_in_use" }, { cause: error });
    throw error;
  }
}

async function requireAllowed(tx: Tx<Tables>, before: ProjectRow, changes: Changes): Promise<void> {
  if (!before.is_active && changes.is_active !== true) throw new ApiError("conflict", { reason: "project_archived" });
  const allowed = changes.allowed_schedulers === undefined ? before.allowed_schedulers : changes.allowed_schedulers;
  const owner = changes.default_scheduler_owner ?? before.default_scheduler_owner;
  requireSchedulers(owner, allowed === null ? null : (JSON.parse(allowed) as string[]));
  requireSettingsSize(changes.settings ?? null);
  if (changes.is_active === false && !(await isOtherProjectActive(tx, before.id))) {
    throw new ApiError("conflict", { reason: "last_active_project" });
  }
}

/** The columns whose value the body changes. */
function changesOf(before: ProjectRow, body: ProjectChanges): Changes {
  const wanted: Changes = {
    ...pick(body, ["slug", "name", "environment", "timezone", "default_scheduler_owner", "is_active"]),
    ...(body.description !== undefined && { description: body.description }),
    ...(body.allowed_schedulers !== undefined && { allowed_schedulers: jsonOrNull(body.allowed_schedulers) }),
    ...(body.settings !== undefined && { settings: jsonOrNull(body.settings) }),
  };
  const entries = Object.entries(wanted).filter(([key, value]) => {
    const present = before[key as keyof ProjectRow];
    // The server database formats and orders JSON in its own way.
    const isJson = key === "allowed_schedulers" || key === "settings";
    return isJson ? canonicalOf(present) !== canonicalOf(value) : present !== value;
  });
  return Object.fromEntries(entries) as Changes;
}

const canonicalOf = (json: unknown): string | null =>
  typeof json === "string" ? canonicalText(JSON.parse(json)) : null;

function pick<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Partial<Pick<Source, Key>> {
  const picked: Partial<Pick<Source, Key>> = {};
  for (const key of keys) if (source[key] !== undefined) picked[key] = source[key];
  return picked;
}

function auditEntries(
  after: ProjectRow,
  changes: Changes,
  { origin, commandsCancelled }: { origin: AuditOrigin; commandsCancelled: number },
): AuditEntry[] {
  const { is_active, ...others } = changes;
  const about = { target_type: "project", target_id: after.id, project_id: after.id, ...origin };
  const entries: AuditEntry[] = [];
  if (Object.keys(others).length > 0) {
    entries.push({ action: "project.updated", metadata: { slug: after.slug, changed: Object.keys(others) }, ...about });
  }
  if (is_active !== undefined) {
    entries.push({
      action: is_active ? "project.restored" : "project.archived",
      metadata: { slug: after.slug, ...(!is_active && { commands_cancelled: commandsCancelled }) },
      ...about,
    });
  }
  return entries;
}
