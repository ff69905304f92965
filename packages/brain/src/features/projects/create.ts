import type { Tx } from "../../platform/database/database.ts";
import { isUniqueViolation } from "../../platform/database/errors.ts";
import { storedJson } from "../../platform/database/values/stored-json.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Core, ProjectRow, Tables } from "../../schema/tables/index.ts";
import type { Audit, AuditEntry, AuditOrigin } from "../audit/index.ts";
import type { Memberships } from "../memberships/index.ts";
import { requireSchedulers, requireSettingsSize, requireSlug } from "./rules.ts";
import type { CreateBody } from "./schemas.ts";
import { insertProject } from "./store.ts";

/** Name of the built-in scheduler. */
const ownScheduler = "svc-scheduler";

export interface CreateProjectDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly memberships: Pick<Memberships, "add">;
}

export interface NewProject {
  readonly row: ProjectRow;
  /** The caller appends these last in its transaction. */
  readonly auditEntries: AuditEntry[];
}

/** Inserts a project with `creatorId` as its admin, in the caller's transaction. */
export async function addProject(
  tx: Tx<Tables>,
  { clock, memberships }: Pick<CreateProjectDeps, "clock" | "memberships">,
  { body, creatorId, origin }: { body: CreateBody; creatorId: string; origin: AuditOrigin },
): Promise<NewProject> {
  const row = projectRow(body, uuidV7(clock), clock.now());
  await insertProject(tx, row);
  const membershipId = await memberships.add(tx, { userId: creatorId, projectId: row.id, role: "admin" });
  const about = { project_id: row.id, ...origin };
  return {
    row,
    auditEntries: [
      { action: "project.created", target_type: "project", target_id: row.id, metadata: { slug: row.slug }, ...about },
      {
        action: "membership.granted",
        target_type: "membership",
        target_id: membershipId,
        metadata: { user_id: creatorId, role: "admin" },
        ...about,
      },
    ],
  };
}

/**
 * Creates a project with its creator as admin.
 *
 * @throws ApiError `conflict` for a malformed slug or one in use, and for contradicting scheduler settings.
 */
export async function createProject(
  deps: CreateProjectDeps,
  request: { body: CreateBody; creatorId: string; origin: AuditOrigin },
): Promise<ProjectRow> {
  const { default_scheduler_owner: owner = ownScheduler, allowed_schedulers: allowed = null } = request.body;
  requireSlug(request.body.slug);
  requireSchedulers(owner, allowed);
  try {
    return await deps.database.write(async (tx) => {
      const { row, auditEntries } = await addProject(tx, deps, request);
      await deps.audit.append(tx, auditEntries);
      return row;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError("conflict", { reason: "slug_in_use" }, { cause: error });
    throw error;
  }
}

function projectRow(body: CreateBody, id: string, now: Date): ProjectRow {
  const settings = jsonOrNull(body.settings);
  requireSettingsSize(settings);
  return {
    id,
    slug: body.slug,
    name: body.name,
    description: body.description ?? null,
    environment: body.environment ?? "production",
    timezone: body.timezone ?? "UTC",
    is_active: true,
    automation_enabled: true,
    automation_revision: 1,
    default_scheduler_owner: body.default_scheduler_owner ?? ownScheduler,
    allowed_schedulers: jsonOrNull(body.allowed_schedulers),
    settings,
    organization_id: null,
    created_at: now,
    updated_at: now,
  };
}

export const jsonOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : storedJson(value);
