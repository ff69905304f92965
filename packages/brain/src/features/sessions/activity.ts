import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { touchSession } from "./store.ts";

export interface ActivityDeps {
  readonly database: Pick<Database<Tables>, "write">;
  readonly clock: Clock;
  readonly settings: { readonly SVC_SESSION_IDLE_TIMEOUT_SECONDS: number };
  readonly onError: (error: unknown) => void;
}

/** What of a session's row decides whether it is idle. */
export interface SeenSession {
  readonly id: string;
  readonly last_seen_at: Date;
  readonly is_remembered: boolean;
}

/** last_seen_at is written at most this often per session (spec part 3, section 5.3). */
const touchEveryMs = 60_000;
/** Sessions whose activity is remembered beside their rows; beyond that the longest quiet ones have their rows alone. */
const maxSeen = 10_000;

export type Activity = ReturnType<typeof createActivity>;

/**
 * When sessions were last active. A row tells that to the minute only, which a short idle limit would hold against people who are at work,
 * so this process also remembers what it saw since the row was written.
 */
export function createActivity({ database, clock, settings, onError }: ActivityDeps) {
  const idleMs = settings.SVC_SESSION_IDLE_TIMEOUT_SECONDS * 1000;
  // The longest quiet first.
  const seenMs = new Map<string, number>();
  const touching = new Set<string>();

  /** Not waited for: the request's answer does not depend on it. */
  function touch(id: string, now: Date): void {
    if (touching.has(id)) return;
    touching.add(id);
    database
      .write((tx) => touchSession(tx, id, now, new Date(now.getTime() - touchEveryMs)))
      .catch(onError)
      .finally(() => touching.delete(id));
  }

  return {
    isIdle({ id, last_seen_at, is_remembered }: SeenSession): boolean {
      if (is_remembered) return false;
      const lastMs = Math.max(last_seen_at.getTime(), seenMs.get(id) ?? 0);
      return clock.now().getTime() - lastMs > idleMs;
    },
    /** Notes that a session was used now. */
    note({ id, last_seen_at, is_remembered }: SeenSession): void {
      const now = clock.now();
      if (!is_remembered) {
        seenMs.delete(id);
        seenMs.set(id, now.getTime());
        if (seenMs.size > maxSeen) seenMs.delete(seenMs.keys().next().value as string);
      }
      if (now.getTime() - last_seen_at.getTime() >= touchEveryMs) touch(id, now);
    },
    /** A row that was written before this is idle, whatever was seen since: it would have been written again. */
    idleSince: (): Date => new Date(clock.now().getTime() - idleMs - touchEveryMs - 1),
  };
}
