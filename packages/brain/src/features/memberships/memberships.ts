import { Broadcast } from "../../platform/broadcast.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Role } from "../../platform/http/access/actor.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Core, Tables } from "../../schema/tables/index.ts";
import type { Member, OwnMembership } from "./schemas.ts";
import { insertMembership, isMember, listMembers, listMembershipsOf } from "./store.ts";

/** Who is a member of which project, and in which role. */
export function createMemberships({ database, clock, onError }: Core & { onError: (error: unknown) => void }) {
  const listeners = new Set<() => void>();
  const others = new Broadcast<true>({ database, onError }, "svc_membership_changed");

  const heard = (): void => {
    for (const listener of listeners) listener();
  };

  return {
    /** Makes a user a member, in the caller's transaction, and gives the membership's id. The caller writes the audit row. */
    async add(tx: Tx<Tables>, { userId, projectId, role }: { userId: string; projectId: string; role: Role }) {
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
    isMember,
    async list(projectId: string): Promise<Member[]> {
      const rows = await listMembers(database.read, projectId);
      return rows.map((row) => ({ ...row, role: row.role as Role }));
    },
    async listOf(userId: string): Promise<OwnMembership[]> {
      const rows = await listMembershipsOf(database.read, userId);
      return rows.map((row) => ({ ...row, role: row.role as Role }));
    },
    /** Tells every process that somebody's role changed; after the commit. */
    async tellChanged() {
      heard();
      await others.send([true]);
    },
    /** Calls `listener` when any process changed a membership, and when such news may have been missed; returns the way to stop. */
    onChanged(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Starts hearing of changes in other processes. */
    start: () => others.listen(heard, { onGap: heard }),
    stop: () => others.stop(),
  };
}

export type Memberships = ReturnType<typeof createMemberships>;
