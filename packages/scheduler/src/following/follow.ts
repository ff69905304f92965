import { cadenceFingerprint } from "@svc/cadence";
import { type PingResponse, readTimestamp, schedulerContractVersion } from "@svc/protocol";
import { type Brain, BrainFault } from "../brain/brain.ts";
import { type SchedulerClock, wait } from "../clock.ts";
import type { Gate } from "../gate.ts";
import { reasonOf, type SchedulerLog } from "../log.ts";
import { SnapshotFault } from "../schedules/snapshot-check.ts";
import type { ScheduleTable, SnapshotStage } from "../schedules/table.ts";
import { createBackoff } from "./backoff.ts";
import { createSnapshotRequests } from "./snapshot-requests.ts";

/** The service reports its progress at least every 5 s; a stream that is silent for longer is dead. */
const silentMs = 15_000;
const pingTimeoutMs = 10_000;
/** Interval of checks while both sides compute different slots. */
const mismatchCheckMs = 30_000;
const pageSize = 1000;
/** A message costs more than a row. */
const rowsPerFrame = 100;

export interface FollowOptions {
  readonly brain: Brain;
  readonly table: ScheduleTable;
  readonly gate: Gate;
  readonly clock: SchedulerClock;
  readonly log: SchedulerLog;
  readonly reconcileMs: number;
  readonly maxBackoffMs: number;
  /** Counts events, so that their order is known. */
  nextEvent(): number;
  onSnapshot(): void;
  /** Called after each frame of the watch. */
  onProgress(): void;
}

/**
 * Keeps the table in step with the service. Two tasks: one takes snapshots at start, on request, after a gap and at intervals; the other
 * reads the watch from the position of the table on. Both start again after a failure, with growing pauses.
 */
export function followBrain({ brain, table, gate, clock, log, ...options }: FollowOptions) {
  const ending = new AbortController();
  const { signal } = ending;
  const requests = createSnapshotRequests();
  let clockSkewMs: number | null = null;
  let brainVersion: string | null = null;
  let snapshotAtMs: number | null = null;
  let snapshotBegan: number | null = null;
  let isConnected = false;
  /** The last snapshot contradicted the table, so the next one contains every schedule. */
  let mustBeWhole = false;
  /** Ends the pauses of the watch, because the table has a position now. */
  let positioned = Promise.withResolvers<void>();

  /** @throws BrainFault when the service has another contract or other cadence rules */
  async function check(): Promise<void> {
    const answer = await brain.ping(pingTimeoutMs);
    brainVersion = answer.brain_version;
    clockSkewMs = skewOf(answer, clock);
    if (answer.contract_version !== schedulerContractVersion) {
      gate.expire();
      throw new BrainFault(
        `the service has contract ${answer.contract_version}, not ${schedulerContractVersion}`,
        false,
      );
    }
    if (answer.cadence_fingerprint !== cadenceFingerprint) {
      gate.close({ schedule: null });
      throw new BrainFault(
        `the service computes slots with ${answer.cadence_fingerprint}, this scheduler with ${cadenceFingerprint}`,
        false,
      );
    }
    if (gate.mismatch !== null && gate.mismatch.schedule === null) gate.reopen();
  }

  async function takeSnapshot(): Promise<void> {
    const call = new AbortController();
    const watched = watchSilence(call);
    const began = options.nextEvent();
    let stage: SnapshotStage | null = null;
    let isComplete = false;
    try {
      const known_through = mustBeWhole ? 0 : (table.position ?? 0);
      const request = { project_ids: [], page_size: pageSize, rows_per_frame: rowsPerFrame, known_through };
      for await (const frame of brain.snapshot(request, call.signal)) {
        watched.received();
        if (frame.header !== undefined) stage = table.beginSnapshot(frame.header);
        else if (stage === null) throw new BrainFault("the snapshot has no header", true);
        else if (frame.row !== undefined) stage.add(frame.row);
        else if (frame.rows !== undefined) {
          const { snapshot_id, schedules, cursors } = frame.rows;
          for (const schedule of schedules) stage.add({ snapshot_id, schedule });
          for (const cursor of cursors) stage.addCursor(snapshot_id, cursor);
        } else if (frame.complete !== undefined) {
          stage.complete(frame.complete);
          isComplete = true;
          break;
        }
      }
    } catch (fault) {
      // A schedule may have changed while its cursor was on the way.
      if (fault instanceof SnapshotFault) mustBeWhole = true;
      throw fault;
    } finally {
      stage?.abandon();
      watched.end();
    }
    if (!isComplete) throw new BrainFault("the snapshot ended early", true);
    mustBeWhole = false;
    snapshotAtMs = clock.monotonicMs();
    snapshotBegan = began;
    gate.refresh();
    log.debug("scheduler.snapshot.applied", { schedules: table.size, position: table.position });
    positioned.resolve();
    options.onSnapshot();
  }

  /** Reads changes until the stream ends. Returns at a gap, after which only a snapshot continues. */
  async function readWatch(backoff: { reset(): void }): Promise<void> {
    const call = new AbortController();
    const watched = watchSilence(call);
    try {
      const request = { project_ids: [], after_revision: table.position ?? 0 };
      for await (const frame of brain.watch(request, call.signal)) {
        watched.received();
        isConnected = true;
        backoff.reset();
        if (frame.gap !== undefined) {
          log.warn("scheduler.watch.gap", { position: table.position });
          losePosition();
          return;
        }
        if (frame.change !== undefined) table.apply(frame.change);
        if (frame.scanned_through !== undefined) table.scannedThrough(frame.scanned_through.revision);
        if (table.position === null) {
          losePosition();
          return;
        }
        gate.refresh();
        options.onProgress();
      }
      throw new BrainFault("the watch ended", true);
    } finally {
      isConnected = false;
      watched.end();
    }
  }

  function losePosition(): void {
    table.forgetPosition();
    gate.expire();
    positioned = Promise.withResolvers();
    requests.add();
  }

  /** Aborts a stream that is silent for too long, or when the scheduler stops. */
  function watchSilence(call: AbortController) {
    let receivedAtMs = clock.monotonicMs();
    let cancel = () => {};
    const probe = () => {
      if (clock.monotonicMs() - receivedAtMs >= silentMs) call.abort();
      else cancel = clock.after(silentMs / 3, probe);
    };
    const end = () => call.abort();
    cancel = clock.after(silentMs / 3, probe);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) call.abort();
    return {
      received() {
        receivedAtMs = clock.monotonicMs();
      },
      end() {
        cancel();
        signal.removeEventListener("abort", end);
        call.abort();
      },
    };
  }

  /** Repeats `work` with growing pauses until it succeeds or the scheduler stops. */
  async function untilDone(what: string, work: (backoff: { reset(): void }) => Promise<void>): Promise<void> {
    const backoff = createBackoff(options.maxBackoffMs);
    while (!signal.aborted) {
      try {
        await check();
        await work(backoff);
        return;
      } catch (fault) {
        if (signal.aborted) return;
        const pauseMs = backoff.next();
        log.warn(`scheduler.${what}.failed`, { reason: reasonOf(fault), retry_in_ms: pauseMs });
        await wait(clock, pauseMs, signal);
      }
    }
  }

  async function keepSnapshots(): Promise<void> {
    requests.add();
    while (!signal.aborted) {
      await requests.serve(() => untilDone("snapshot", takeSnapshot), signal);
      const requested = new AbortController();
      const reconciled = wait(clock, options.reconcileMs, AbortSignal.any([signal, requested.signal]));
      await Promise.race([requests.added(), reconciled]);
      requested.abort();
      requests.add();
    }
  }

  async function keepWatch(): Promise<void> {
    while (!signal.aborted) {
      await Promise.race([positioned.promise, aborted(signal)]);
      if (signal.aborted) return;
      await untilDone("watch", readWatch);
    }
  }

  /** The service may have been replaced by one that computes the same slots. */
  async function keepChecking(): Promise<void> {
    while (!signal.aborted) {
      await wait(clock, mismatchCheckMs, signal);
      if (gate.mismatch !== null && !signal.aborted) await recheck();
    }
  }

  /** Finds out whether the whole service computes other slots. Logs a failure. */
  const recheck = (): Promise<void> =>
    check().catch((fault: unknown) => log.warn("scheduler.check.failed", { reason: reasonOf(fault) }));

  const running = Promise.all([keepSnapshots(), keepWatch(), keepChecking()]);

  return {
    /** A snapshot that begins after this call. */
    requestSnapshot: requests.add,
    /** When the last applied snapshot began, as a count of events. */
    snapshotBegan: () => snapshotBegan,
    recheck,
    info: () => ({
      brain_version: brainVersion,
      brain_connected: isConnected,
      clock_skew_ms: clockSkewMs,
      snapshot_age_seconds: snapshotAtMs === null ? null : (clock.monotonicMs() - snapshotAtMs) / 1000,
    }),
    async stop(): Promise<void> {
      ending.abort();
      await running;
    },
  };
}

const skewOf = ({ brain_time }: PingResponse, clock: SchedulerClock): number | null => {
  const at = readTimestamp(brain_time);
  return at === null ? null : clock.now().getTime() - at.getTime();
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
