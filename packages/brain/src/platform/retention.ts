/**
 * What retention may remove, and when. Rows are removed by their age, and a wrong system clock makes every row look old: the cutoff is
 * therefore bound to the newest row of the table, and all passes are held while the clock is in doubt.
 */
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import type { BoundLoop } from "./loop.ts";
import type { Metrics } from "./metrics.ts";

const dayMs = 86_400_000;
/** Wall clock and monotonic clock may differ by this much between two passes, and within a day. */
const divergenceMs = 60_000;
/** After a divergence the passes are held for this long on the monotonic clock. */
const holdMs = dayMs;
/** A service that was off for longer cannot tell its absence from a clock that moved meanwhile. */
const longestAbsenceMs = 7 * dayMs;

/**
 * The instant from which retention counts its days back: now, or a day before the newest row of the table when that is earlier.
 * Null for an empty table, which has nothing to remove.
 */
export function retentionBase(now: Date, newest: Date | null): Date | null {
  if (newest === null) return null;
  return new Date(Math.min(now.getTime(), newest.getTime() - dayMs));
}

export interface RetentionHold {
  readonly reason: "clock_changed" | "service_was_off";
  /** How far the wall clock moved against the monotonic one, or how long the service was off. */
  readonly byMs: number;
  /** When the passes go on at the latest, by the wall clock as it is now. */
  readonly until: Date;
}

export interface RetentionGuard {
  /** Compares the clocks. Why nothing may be removed by age now; null when passes may run. */
  check(): RetentionHold | null;
  /** To call once at the start, with the last instant at which an earlier process knew the time. */
  begin(lastSeen: Date | null): void;
  /** The loop, but for passes while there is a hold. Loops that remove nothing by age are returned as they are. */
  guard(loop: BoundLoop): BoundLoop;
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

export function createRetentionGuard({ clock, log, metrics }: RetentionGuardDeps): RetentionGuard {
  const held = metrics.gauge({
    name: "svc_retention_held",
    aggregator: "max",
    help: "1 while retention removes nothing because the system clock is in doubt",
  });
  held.set(0);
  /** Difference of the two clocks: constant while the wall clock is not moved. */
  const offset = () => clock.now().getTime() - clock.monotonicMs();
  // Steps too small for one pass add up, so each day has a fixed point as well.
  let day = { offset: offset(), atMs: clock.monotonicMs() };
  let lastOffset = day.offset;
  let hold: OpenHold | null = null;

  function begin(opened: OpenHold): void {
    hold = opened;
    held.set(1);
    const { reason, byMs } = opened;
    log.warn("retention.held", { reason, by_seconds: Math.round(byMs / 1000), hours: holdMs / 3_600_000 });
  }

  function end(reason: string): void {
    hold = null;
    held.set(0);
    log.info("retention.resumed", { reason });
  }

  function beginDay(): void {
    day = { offset: offset(), atMs: clock.monotonicMs() };
  }

  function compare(): void {
    const nowMs = clock.monotonicMs();
    const present = offset();
    const hasMoved = Math.abs(present - lastOffset) > divergenceMs;
    lastOffset = present;
    if (hold !== null) {
      if (hold.isCorrected()) {
        end("clock_corrected");
        return;
      }
      if (hasMoved) hold.untilMs = nowMs + holdMs;
      if (nowMs < hold.untilMs) return;
      end("time_passed");
      beginDay();
      return;
    }
    const trusted = day.offset;
    if (hasMoved || Math.abs(present - trusted) > divergenceMs) {
      const isCorrected = () => Math.abs(offset() - trusted) <= divergenceMs;
      begin({ reason: "clock_changed", byMs: present - trusted, untilMs: nowMs + holdMs, isCorrected });
    } else if (nowMs - day.atMs >= dayMs) beginDay();
  }

  function check(): RetentionHold | null {
    compare();
    if (hold === null) return null;
    const { reason, byMs, untilMs } = hold;
    return { reason, byMs, until: new Date(clock.now().getTime() + untilMs - clock.monotonicMs()) };
  }

  return {
    check,
    begin(lastSeen) {
      if (lastSeen === null) return;
      const begunMs = clock.monotonicMs();
      const absentMs = () => clock.now().getTime() - lastSeen.getTime() - (clock.monotonicMs() - begunMs);
      if (absentMs() <= longestAbsenceMs) return;
      const isCorrected = () => absentMs() <= longestAbsenceMs;
      begin({ reason: "service_was_off", byMs: absentMs(), untilMs: begunMs + holdMs, isCorrected });
    },
    guard(loop) {
      if (!loop.removesByAge) return loop;
      return {
        ...loop,
        async tick(context) {
          const found = check();
          return found === null ? loop.tick(context) : { held: found.reason };
        },
      };
    },
  };
}
