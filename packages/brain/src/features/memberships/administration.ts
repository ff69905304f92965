import type { Tx } from "../../platform/database/database.ts";
import { lockSubject } from "../../platform/database/dialects/locks.ts";
import { isUniqueViolation } from "../../platform/database/errors.ts";
import type { Role } from "../../platform/http/access/actor.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Core, Tables, UserRow } from "../../schema/tables/index.ts";
import type { Audit, AuditEntry, AuditOrigin } from "../audit/index.ts";
import type { Memberships } from "./memberships.ts";
import { type Member, roles } from "./schemas.ts";
import { deleteMembership, findMember, isOtherAdmin, updateRole } from "./store.ts";

export interface MemberAdministrationDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly memberships: Pick<Memberships, "add" | "announceChanged">;
  readonly users: { lock(tx: Tx<Tables>, id: string): Promise<UserRow | undefined> };
}

/** One membership of a project, and the origin of the request. */
export interface AboutMember {
  readonly projectId: string;
  readonly membershipId: string;
  readonly origin: AuditOrigin;
}

export interface MemberAdministration {
  /** @throws ApiError `conflict` for an unknown role or an existing member, `not_found` for an unknown user. */
  grant(request: { projectId: string; userId: string; role: string; origin: AuditOrigin }): Promise<Member>;
  /** @throws ApiError `conflict` for an unknown role and for the last admin, `not_found`. */
  changeRole(about: AboutMember, role: string): Promise<Member>;
  /** @throws ApiError `conflict` for the last admin, `not_found`. */
  revoke(about: AboutMember): Promise<void>;
}

/** Members of a project as its admins manage them. */
export function createMemberAdministration(deps: MemberAdministrationDeps): MemberAdministration {
  const { database, clock, audit, memberships, users } = deps;

  return {
    async grant({ projectId, userId, role: name, origin }) {
      const role = requireRole(name);
      try {
        const member = await database.write(async (tx) => {
          if ((await users.lock(tx, userId)) === undefined) throw new ApiError("not_found", { resource: "user" });
          const id = await memberships.add(tx, { userId, projectId, role });
          const added = await requireMember(tx, projectId, id);
          await audit.append(tx, auditEntry("membership.granted", added, { origin, metadata: { role } }));
          return added;
        });
        await memberships.announceChanged();
        return member;
      } catch (error) {
        if (isUniqueViolation(error)) throw new ApiError("conflict", { reason: "already_member" }, { cause: error });
        throw error;
      }
    },
    async changeRole({ projectId, membershipId, origin }, name) {
      const role = requireRole(name);
      const [before, after] = await database.write(async (tx) => {
        await lockAdmins(tx, projectId);
        const member = await requireMember(tx, projectId, membershipId);
        if (member.role === role) return [member, member];
        if (member.role === "admin") await requireOtherAdmin(tx, member);
        await updateRole(tx, member.id, role, clock.now());
        const metadata = { role, previous_role: member.role };
        await audit.append(tx, auditEntry("membership.updated", member, { origin, metadata }));
        return [member, { ...member, role }];
      });
      if (after !== before) await memberships.announceChanged();
      return after;
    },
    async revoke({ projectId, membershipId, origin }) {
      await database.write(async (tx) => {
        await lockAdmins(tx, projectId);
        const member = await requireMember(tx, projectId, membershipId);
        if (member.role === "admin") await requireOtherAdmin(tx, member);
        await deleteMembership(tx, member.id);
        await audit.append(tx, auditEntry("membership.revoked", member, { origin, metadata: { role: member.role } }));
      });
      await memberships.announceChanged();
    },
  };
}

/** Serializes transactions that may remove a project's last admin. */
const lockAdmins = (tx: Tx<Tables>, projectId: string): Promise<void> => lockSubject(tx, `project-admins:${projectId}`);

async function requireOtherAdmin(tx: Tx<Tables>, { project_id, id }: Member): Promise<void> {
  if (!(await isOtherAdmin(tx, project_id, id))) throw new ApiError("conflict", { reason: "last_project_admin" });
}

async function requireMember(tx: Tx<Tables>, projectId: string, id: string): Promise<Member> {
  const row = await findMember(tx, projectId, id);
  if (row === undefined) throw new ApiError("not_found", { resource: "membership" });
  return { ...row, role: row.role as Role };
}

function requireRole(name: string): Role {
  const role = roles.find((known) => known === name);
  if (role === undefined) throw new ApiError("conflict", { reason: "unknown_role", known: [...roles] });
  return role;
}

const auditEntry = (
  action: string,
  { id, user_id, project_id }: Member,
  { origin, metadata }: { origin: AuditOrigin; metadata: Record<string, unknown> },
): AuditEntry => ({
  action,
  target_type: "membership",
  target_id: id,
  project_id,
  metadata: { user_id, ...metadata },
  ...origin,
});
