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

/** What of a session's row decides whether it is idle. */
export type SeenSession = Pick<SessionRow, "id" | "last_seen_at" | "is_remembered">;

interface Seen {
  readonly id: string;
  readonly seenMs: number;
}

/** last_seen_at is written at most this often per session (spec part 3, section 5.3). */
const touchEveryMs = minutes(1);
/** Activity is remembered to the end of its second, so that a busy page is told to the other processes once a second at most. */
const stepMs = 1000;
/** Sessions whose activity is remembered beside their rows. */
const maxSeen = 10_000;

export type Activity = ReturnType<typeof createActivity>;

/**
 * When sessions were last active. A row tells that to the minute only, which an idle limit would hold against people who are at work, so
 * processes tell each other what they see and remember it. Where a process cannot know, since it did not listen or had to forget, it takes
 * the latest that may have been: a session then lasts up to a minute longer, and never less.
 */
export function createActivity({ database, clock, settings, onError }: ActivityDeps) {
  const idleMs = settings.SVC_SESSION_IDLE_TIMEOUT_SECONDS * 1000;
  // The longest quiet first.
  const seenMs = new Map<string, number>();
  /** Of which activity a row is being written. */
  const touching = new Map<string, number>();
  /** Of activity before this, nothing but the rows may be known. */
  let knownSinceMs = clock.now().getTime();
  const others = new Broadcast<Seen>({ database, onError }, "svc_sessions_seen");

  /** Not waited for: the request's answer does not depend on it. */
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

  /** False when that was known. */
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

  /** The last activity that is known. */
  const lastSeenMs = ({ id, last_seen_at }: SeenSession): number =>
    Math.max(last_seen_at.getTime(), seenMs.get(id) ?? 0);

  return {
    isIdle(session: SeenSession): boolean {
      if (session.is_remembered) return false;
      // Later activity than a minute after the row was written would have written it again.
      const unknownUntilMs = Math.min(session.last_seen_at.getTime() + touchEveryMs, knownSinceMs);
      return clock.now().getTime() - Math.max(lastSeenMs(session), unknownUntilMs) > idleMs;
    },
    /** Until when a session lasts at every process if nobody uses it; null when it has no idle limit. */
    idleAt: (session: SeenSession): Date | null =>
      session.is_remembered ? null : new Date(lastSeenMs(session) + idleMs),
    /** Notes that a session was used now. */
    note({ id, last_seen_at, is_remembered }: SeenSession): void {
      const now = clock.now();
      if (now.getTime() - last_seen_at.getTime() >= touchEveryMs) touch(id, now);
      if (is_remembered) return;
      const seen: Seen = { id, seenMs: Math.ceil(now.getTime() / stepMs) * stepMs };
      if (remember(seen)) void others.send([seen]);
    },
    /** A row that was written before this is idle, whatever was seen since: it would have been written again. */
    idleSince: (): Date => new Date(clock.now().getTime() - idleMs - touchEveryMs - 1),
    /** Begins to hear what other processes see. */
    async start(): Promise<void> {
      await others.listen(remember, { onGap: missed });
      missed();
    },
    stop: () => others.stop(),
  };
}
