import type { LockSession, OpenLockSession } from "../../src/leadership/lock-session.ts";

/** Locks that belong to sessions, like the advisory locks of PostgreSQL. */
export function createLockServer() {
  const owners = new Map<bigint, object>();
  let isDown = false;
  let isHanging = false;
  const cuts = new Set<() => void>();

  function free(owner: object): void {
    for (const [key, other] of owners) if (other === owner) owners.delete(key);
  }

  return {
    owners: owners as ReadonlyMap<bigint, object>,
    /** Ends all sessions and accepts no new ones. */
    goDown(): void {
      isDown = true;
      for (const cut of [...cuts]) cut();
    },
    comeBack(): void {
      isDown = false;
    },
    /** Sessions stay open, but nothing is answered any more. */
    hang(): void {
      isHanging = true;
    },
    /** Sessions of one process. `kill` frees its locks, as the end of its sockets does. */
    ofProcess(): { readonly open: OpenLockSession; kill(): void } {
      let isAlive = true;
      const own = new Set<object>();
      const open: OpenLockSession = async (onLost) => {
        if (isDown) throw new Error("no connection to the database");
        const session = {};
        own.add(session);
        let isLost = false;
        const cut = () => {
          isLost = true;
          free(session);
          cuts.delete(cut);
          if (isAlive) onLost();
        };
        cuts.add(cut);
        const check = async () => {
          if (isHanging) await new Promise(() => {});
          if (isLost) throw new Error("the connection is lost");
        };
        const opened: LockSession = {
          async tryLock(keys) {
            await check();
            const won = keys.filter((key) => !owners.has(key));
            for (const key of won) owners.set(key, session);
            return won;
          },
          async unlock(keys) {
            await check();
            for (const key of keys) if (owners.get(key) === session) owners.delete(key);
          },
          async confirm() {
            await check();
          },
          async close() {
            isLost = true;
            cuts.delete(cut);
            free(session);
          },
        };
        return opened;
      };
      return {
        open,
        kill() {
          isAlive = false;
          for (const session of own) free(session);
        },
      };
    },
  };
}

export type LockServer = ReturnType<typeof createLockServer>;
