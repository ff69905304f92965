import type { Clock } from "../../platform/clock.ts";
import type { Database, Tx } from "../../platform/database/database.ts";
import type { Role } from "../../platform/http/actor.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { Member, OwnMembership } from "./schemas.ts";
import { insertMembership, listMembers, listMembershipsOf } from "./store.ts";

export interface Memberships {
  /** Makes a user a member, in the caller's transaction, and gives the membership's id. The caller writes the audit row. */
  add(tx: Tx<Tables>, member: { userId: string; projectId: string; role: Role }): Promise<string>;
  list(projectId: string): Promise<Member[]>;
  listOf(userId: string): Promise<OwnMembership[]>;
}

/** Who is a member of which project, and in which role. */
export function createMemberships({ database, clock }: { database: Database<Tables>; clock: Clock }): Memberships {
  return {
    async add(tx, { userId, projectId, role }) {
      const id = uuidV7(clock);
      const now = clock.now();
      await insertMembership(tx, {
        id,
        user_id: userId,
        project_id: projectId,
        role,
        created_at: now,
        updated_at: now,
      });
      return id;
    },
    async list(projectId) {
      const rows = await listMembers(database.read, projectId);
      return rows.map((row) => ({ ...row, role: row.role as Role, created_at: row.created_at.toISOString() }));
    },
    async listOf(userId) {
      const rows = await listMembershipsOf(database.read, userId);
      return rows.map((row) => ({ ...row, role: row.role as Role }));
    },
  };
}
