import { Broadcast, type BroadcastDeps } from "../../platform/broadcast.ts";
import type { Clock } from "../../platform/clock.ts";
import { minutes } from "../../platform/durations.ts";
import type { BrainDatabase, SessionRow } from "../../schema/tables/index.ts";
import { touchSession } from "./store.ts";

export interface ActivityDeps {
  readonly database: Pick<BrainDatabase, "write"> & BroadcastDeps["database"];
  readonly clock: Clock;
  readonly settings: { readonly SVC_SESSION_IDLE_TIMEOUT_SECONDS: number };
  readonly onError: (error: unknown) => void;
}

/** The fields of a session's row that decide whether it is idle. */
export type SeenSession = Pick<SessionRow, "id" | "last_seen_at" | "is_remembered">;

interface Seen {
  readonly id: string;
  readonly seenMs: number;
}

/** Minimum interval between writes of last_seen_at, per session. */
const touchEveryMs = minutes(1);
/** Activity is rounded up to the second, so that a busy page is announced to other processes at most once a second. */
const stepMs = 1000;
/** Maximum number of sessions whose activity is remembered in addition to their rows. */
const maxSeen = 10_000;

export type Activity = ReturnType<typeof createActivity>;

/**
 * When sessions were last active. Rows are only accurate to a minute, which would end sessions too early under a short idle limit, so
 * processes announce activity to each other and remember it. A process that missed announcements, or had to forget some, assumes the latest
 * possible activity: a session then lasts up to a minute longer, and never less.
 */
export function createActivity({ database, clock, settings, onError }: ActivityDeps) {
  const idleMs = settings.SVC_SESSION_IDLE_TIMEOUT_SECONDS * 1000;
  // Ordered by activity, longest idle first.
  const seenMs = new Map<string, number>();
  /** Sessions whose row is being written. */
  const touching = new Map<string, number>();
  /** Activity before this may be known only from the rows. */
  let knownSinceMs = clock.now().getTime();
  const others = new Broadcast<Seen>({ database, onError }, "svc_sessions_seen");

  /** Not awaited: the answer does not depend on it. */
  function touch(id: string, now: Date): void {
    const nowMs = now.getTime();
    if (nowMs - (touching.get(id) ?? 0) < touchEveryMs) return;
    touching.set(id, nowMs);
    const forget = () => touching.get(id) === nowMs && touching.delete(id);
    database
      .write((tx) => touchSession(tx, id, now, new Date(nowMs - touchEveryMs)))
      .catch(onError)
      .finally(forget);
  }

  /** False when it was already known. */
  function remember(seen: Seen): boolean {
    if ((seenMs.get(seen.id) ?? 0) >= seen.seenMs) return false;
    seenMs.delete(seen.id);
    seenMs.set(seen.id, seen.seenMs);
    if (seenMs.size > maxSeen) {
      const [quietest, quietSinceMs] = seenMs.entries().next().value as [string, number];
      seenMs.delete(quietest);
      knownSinceMs = Math.max(knownSinceMs, quietSinceMs);
    }
    return true;
  }

  const missed = (): void => {
    knownSinceMs = clock.now().getTime();
  };

  /** The last known activity. */
  const lastSeenMs = ({ id, last_seen_at }: SeenSession): number =>
    Math.max(last_seen_at.getTime(), seenMs.get(id) ?? 0);

  return {
    isIdle(session: SeenSession): boolean {
      if (session.is_remembered) return false;
      // Activity more than a minute after the row was written would have caused another write.
      const unknownUntilMs = Math.min(session.last_seen_at.getTime() + touchEveryMs, knownSinceMs);
      return clock.now().getTime() - Math.max(lastSeenMs(session), unknownUntilMs) > idleMs;
    },
    /** Until when the session lasts in every process without further use; null when it has no idle limit. */
    idleAt: (session: SeenSession): Date | null =>
      session.is_remembered ? null : new Date(lastSeenMs(session) + idleMs),
    /** Records that a session was used now. */
    note({ id, last_seen_at, is_remembered }: SeenSession): void {
      const now = clock.now();
      if (now.getTime() - last_seen_at.getTime() >= touchEveryMs) touch(id, now);
      if (is_remembered) return;
      const seen: Seen = { id, seenMs: Math.ceil(now.getTime() / stepMs) * stepMs };
      if (remember(seen)) void others.send([seen]);
    },
    /** A session whose row was written before this is idle: activity more than a minute later would have updated the row. */
    idleSince: (): Date => new Date(clock.now().getTime() - idleMs - touchEveryMs - 1),
    /** Starts listening for activity in other processes. */
    async start(): Promise<void> {
      await others.listen(remember, { onGap: missed });
      missed();
    },
    stop: () => others.stop(),
  };
}
