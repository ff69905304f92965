/**
 * What retention may delete, and when. Rows are deleted by age, and a wrong system clock would make every row seem old: the cutoff is
 * therefore bound to the newest row of the table, and all passes are held while the clock is in doubt.
 */
import type { Clock } from "./clock.ts";
import type { Database } from "./database/database.ts";
import { deleteExpired } from "./database/delete-in-batches.ts";
import { days, hours, minutes } from "./durations.ts";
import type { Log } from "./log.ts";
import type { BoundLoop, Loop, TickContext } from "./loop.ts";
import type { Metrics } from "./metrics.ts";

/** A pass is skipped when wall clock and monotonic clock moved apart by more than this since the one before. */
const divergenceMs = minutes(1);
/**
 * The sleep of a machine moves the clocks apart too, so only a larger difference holds all passes. A start cannot distinguish an absence of
 * this length from a wrong clock.
 */
const longestAbsenceMs = days(7);
/** How long all passes are held after such a difference, on the monotonic clock. */
const holdMs = days(1);
/** A skipped pass is repeated after this time. Otherwise, a machine that sleeps between any two passes would never remove anything. */
const retryMs = 300_000;

/**
 * The instant from which retention counts its days back: now, or a day before the newest row of the table when that is earlier.
 * Null for an empty table, which has nothing to remove.
 */
export function retentionBase(now: Date, newest: Date | null): Date | null {
  if (newest === null) return null;
  return new Date(Math.min(now.getTime(), newest.getTime() - days(1)));
}

/** Defaults of loops that delete rows by age: hourly, in one replica. */
export const hourlyRetention = { everyMs: hours(1), leaderOnly: true, removesByAge: true } as const;

interface Retention<Deps> {
  readonly name: string;
  /** Milliseconds between two rounds; an hour when absent. */
  readonly everyMs?: number;
  /** Instant of the newest row, from which the age of the others is counted; null for an empty table. */
  newest(deps: Deps): Promise<Date | null>;
  /** The cutoff in epoch milliseconds: older rows are deleted when the newest ones are from about `base`. */
  cutoffMs(base: Date, deps: Deps): number;
  /** Deletes them and returns how many. */
  remove(deps: Deps & TickContext, cutoff: Date): Promise<number>;
}

/** A loop that removes the rows of a table that are too old. */
export function retentionLoop<Deps extends { clock: Pick<Clock, "now"> }>(retention: Retention<Deps>): Loop<Deps> {
  return {
    ...hourlyRetention,
    name: retention.name,
    everyMs: retention.everyMs ?? hourlyRetention.everyMs,
    async tick(deps) {
      const base = retentionBase(deps.clock.now(), await retention.newest(deps));
      if (base === null) return { deleted: 0 };
      return { deleted: await retention.remove(deps, new Date(retention.cutoffMs(base, deps))) };
    },
  };
}

/** A loop that deletes expired rows of a table by their `expires_at`. */
export const expiryLoop = <Schema>(
  name: string,
  table: keyof Schema & string,
): Loop<{ database: Pick<Database<Schema>, "write">; clock: Pick<Clock, "now"> }> => ({
  name,
  ...hourlyRetention,
  async tick({ database, clock }) {
    return { deleted: await database.write((tx) => deleteExpired(tx, table, clock.now())) };
  },
});

export interface RetentionHold {
  readonly reason: "clock_changed" | "service_was_off";
  /** How far the wall clock moved against the monotonic one, or how long the service was off. */
  readonly byMs: number;
  /** When the passes resume, by the current wall clock; null when each loop skips only one pass. */
  readonly until: Date | null;
}

interface RetentionGuardDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "info">;
  readonly metrics: Pick<Metrics, "gauge">;
}

interface OpenHold {
  readonly reason: RetentionHold["reason"];
  readonly byMs: number;
  untilMs: number;
  /** Whether the clock is right again. */
  isCorrected(): boolean;
}

/** The difference of the two clocks at an instant of the monotonic one. */
interface Sample {
  readonly offset: number;
  readonly atMs: number;
}

export function createRetentionGuard({ clock, log, metrics }: RetentionGuardDeps) {
  const held = metrics.gauge({
    name: "svc_retention_held",
    aggregator: "max",
    help: "1 while retention removes nothing because the system clock is in doubt",
  });
  held.set(0);
  /** Difference of the two clocks: constant while the wall clock is not moved. */
  const offset = () => clock.now().getTime() - clock.monotonicMs();
  const sample = (): Sample => ({ offset: offset(), atMs: clock.monotonicMs() });
  // One per hour for a day, the oldest first. A jump is measured against each, so that small jumps add up.
  let samples = [sample()];
  let lastOffset = offset();
  let hold: OpenHold | null = null;
  /** The last move that skips a pass, shown until a pass ran. */
  let move: { readonly byMs: number; readonly atMs: number } | null = null;
  /** The difference at the last pass of each loop; `atFirst` for loops without a pass. */
  const atLastPass = new Map<string, number>();
  let atFirst = lastOffset;

  function begin(opened: OpenHold): void {
    hold = opened;
    move = null;
    held.set(1);
    const { reason, byMs } = opened;
    log.warn("retention.held", { reason, by_seconds: Math.round(byMs / 1000), hours: holdMs / hours(1) });
  }

  function end(reason: string): void {
    hold = null;
    held.set(0);
    log.info("retention.resumed", { reason });
  }

  /** Treats the clock as right from now on. */
  function trust(): void {
    samples = [sample()];
    atLastPass.clear();
    atFirst = offset();
  }

  function compare(): void {
    const nowMs = clock.monotonicMs();
    const present = offset();
    const movedMs = present - lastOffset;
    lastOffset = present;
    if (hold !== null) {
      if (hold.isCorrected()) {
        if (hold.reason === "service_was_off") trust();
        end("clock_corrected");
        return;
      }
      if (Math.abs(movedMs) > longestAbsenceMs) hold.untilMs = nowMs + holdMs;
      if (nowMs < hold.untilMs) return;
      end("time_passed");
      trust();
      return;
    }
    const from = samples.reduce((most, one) =>
      Math.abs(present - one.offset) > Math.abs(present - most.offset) ? one : most,
    );
    const isWithinAbsence = () => Math.abs(offset() - from.offset) <= longestAbsenceMs;
    if (!isWithinAbsence()) {
      const byMs = present - from.offset;
      begin({ reason: "clock_changed", byMs, untilMs: nowMs + holdMs, isCorrected: isWithinAbsence });
      return;
    }
    if (Math.abs(movedMs) > divergenceMs) {
      move = { byMs: movedMs, atMs: nowMs };
      log.info("retention.clock_moved", { by_seconds: Math.round(movedMs / 1000) });
    }
    if (nowMs - samples.at(-1)!.atMs >= hours(1)) samples.push(sample());
    while (samples.length > 1 && nowMs - samples[1]!.atMs >= days(1)) samples.shift();
  }

  /** Compares the clocks. Why passes are held or skipped now; null when all run. */
  function check(): RetentionHold | null {
    compare();
    const nowMs = clock.monotonicMs();
    if (hold !== null) {
      const { reason, byMs, untilMs } = hold;
      return { reason, byMs, until: new Date(clock.now().getTime() + untilMs - nowMs) };
    }
    // In a replica that leads no loop there is no next pass.
    if (move !== null && nowMs - move.atMs >= hours(1)) move = null;
    return move === null ? null : { reason: "clock_changed", byMs: move.byMs, until: null };
  }

  /** Why the pass of a loop that is due now must not run; null when it may. */
  function reasonAgainst(name: string): RetentionHold["reason"] | null {
    compare();
    if (hold !== null) return hold.reason;
    const present = offset();
    const byMs = present - (atLastPass.get(name) ?? atFirst);
    atLastPass.set(name, present);
    if (Math.abs(byMs) > divergenceMs) {
      move ??= { byMs, atMs: clock.monotonicMs() };
      return "clock_changed";
    }
    move = null;
    return null;
  }

  return {
    check,
    /** Call it once at the start, with the last instant at which an earlier process knew the time. */
    begin(lastSeen: Date | null) {
      if (lastSeen === null) return;
      const begunMs = clock.monotonicMs();
      const absentMs = () => clock.now().getTime() - lastSeen.getTime() - (clock.monotonicMs() - begunMs);
      if (absentMs() <= longestAbsenceMs) return;
      const isCorrected = () => absentMs() <= longestAbsenceMs;
      begin({ reason: "service_was_off", byMs: absentMs(), untilMs: begunMs + holdMs, isCorrected });
    },
    /** The loop, but for passes that are held or skipped. Loops that remove nothing by age are returned as they are. */
    guard(loop: BoundLoop): BoundLoop {
      if (!loop.removesByAge) return loop;
      let isSkipped = false;
      return {
        ...loop,
        get everyMs() {
          return isSkipped ? Math.min(retryMs, loop.everyMs) : loop.everyMs;
        },
        async tick(context) {
          const reason = reasonAgainst(loop.name);
          isSkipped = reason !== null && hold === null;
          return reason === null ? loop.tick(context) : { held: reason };
        },
      };
    },
  };
}

export type RetentionGuard = ReturnType<typeof createRetentionGuard>;
