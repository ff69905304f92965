import { Broadcast } from "../../platform/broadcast.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Role } from "../../platform/http/access/actor.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Core, Tables } from "../../schema/tables/index.ts";
import type { Member, OwnMembership } from "./schemas.ts";
import { insertMembership, isMember, listMembers, listMembershipsOf } from "./store.ts";

/** Members of projects, with their roles. */
export function createMemberships({ database, clock, onError }: Core & { onError: (error: unknown) => void }) {
  const listeners = new Set<() => void>();
  const others = new Broadcast<true>({ database, onError }, "svc_membership_changed");

  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };

  return {
    /** Adds a user to a project in the caller's transaction, and returns the membership's id. The caller writes the audit row. */
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
    /** Notifies every process that a role changed; call it after the commit. */
    async announceChanged() {
      notifyListeners();
      await others.send([true]);
    },
    /**
     * Calls `listener` when any process changed a membership, and when notifications may have been missed; returns an unsubscribe function.
     */
    onChanged(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Starts listening for changes in other processes. */
    start: () => others.listen(notifyListeners, { onGap: notifyListeners }),
    stop: () => others.stop(),
  };
}

export type Memberships = ReturnType<typeof createMemberships>;
