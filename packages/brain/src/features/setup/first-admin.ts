import type { Tx } from "../../platform/database/database.ts";
import { lockSubject } from "../../platform/database/dialects/locks.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { BrainDatabase, Tables, UserRow } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import type { Projects } from "../projects/index.ts";
import type { Users } from "../users/index.ts";

/** Slug of the project that the setup creates. */
export const firstProject = "default";

export interface FirstAdminDeps {
  readonly database: BrainDatabase;
  readonly audit: Pick<Audit, "append">;
  readonly users: Pick<Users, "isAny" | "add">;
  readonly projects: Pick<Projects, "add">;
}

export interface FirstAdmin {
  readonly email: string;
  readonly displayName: string | null;
  readonly passwordHash: string;
  readonly method: "setup_page" | "bootstrap" | "cli";
  readonly origin: AuditOrigin;
}

/**
 * Creates the first administrator and the project `default`, and runs `also`, in one transaction. The users table is checked under a lock,
 * so only one of two concurrent set-ups succeeds.
 *
 * @throws ApiError `conflict` (already_initialised) when any account exists.
 */
export function makeFirstAdmin<T>(
  { database, audit, users, projects }: FirstAdminDeps,
  admin: FirstAdmin,
  also: (tx: Tx<Tables>, user: UserRow) => Promise<T>,
): Promise<{ user: UserRow; projectId: string; also: T }> {
  return database.write(async (tx) => {
    await lockSubject(tx, "users-empty");
    if (await users.isAny(tx)) throw alreadyInitialised();
    const user = await users.add(tx, { ...admin, isAdmin: true });
    const origin = { ...admin.origin, user_id: user.id };
    const project = await projects.add(tx, {
      body: { slug: firstProject, name: "Default" },
      creatorId: user.id,
      origin,
    });
    const outcome = await also(tx, user);
    const about = { target_id: user.id, ...origin };
    await audit.append(tx, [
      { action: "setup.completed", target_type: "setup", metadata: { method: admin.method }, ...about },
      { action: "user.created", target_type: "user", metadata: { is_admin: true }, ...about },
      ...project.auditEntries,
    ]);
    return { user, projectId: project.row.id, also: outcome };
  });
}

export const alreadyInitialised = () => new ApiError("conflict", { reason: "already_initialised" });
