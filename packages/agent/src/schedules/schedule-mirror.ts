import { randomUUID } from "node:crypto";
import { type EventKind, type EventRecord, sidecarEventId } from "@svc/protocol";
import type { AgentLog, EventSink } from "../adapter.ts";
import { type Clock, pause, systemClock } from "../runtime/clock.ts";
import { reasonOf } from "../runtime/log.ts";
import { KnownSchedules, type ScheduleChange } from "./known-schedules.ts";
import type { MirroredSchedule, PositionCounter, StreamPosition } from "./scheduler-adapter.ts";
import { cutIntoParts } from "./snapshot-parts.ts";

export interface MirrorParts {
  /** Name of the scheduler adapter. */
  readonly name: string;
  /** Engine of the events. */
  readonly engine: string;
  readonly positions: PositionCounter;
  /** Resolves when the engine can be read. Rejects when the signal aborts. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * All schedules, disabled ones included. Rejects when it cannot read all of them.
   *
   * @param isRequested an operator asked for it, so it must not miss what exists only since a moment ago.
   */
  read(isRequested: boolean): Promise<readonly MirroredSchedule[]>;
  readonly sink: EventSink;
  readonly log: AgentLog;
  /** Milliseconds between two reads. Many schedules are read less often. */
  readonly readEveryMs: number;
  readonly clock?: Clock;
}

interface Report {
  readonly kind: EventKind;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A snapshot also corrects what the service holds, whatever happened to single events. */
const snapshotEveryMs = 600_000;
/** So that a read of every schedule takes at most 100 requests a second. */
const pausePerScheduleMs = 10;
/** How often the state is read again because other processes reported changes in between. */
const mostAttempts = 5;

/**
 * Reports an engine's own schedules. Every event has a position; the one with the highest position applies, so a state must be read before
 * its position is taken, and no other position may be taken in between. Work in this process is done one by one; other processes that share
 * the counter are noticed by it, and the state is read again.
 */
export class ScheduleMirror {
  readonly #parts: MirrorParts;
  readonly #clock: Clock;
  readonly #known = new KnownSchedules();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: MirrorParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /**
   * Reports all schedules now and every ten minutes, and changes in between, until the signal aborts. Of several processes that share a
   * counter, one should do this. Never rejects.
   */
  async run(signal: AbortSignal): Promise<void> {
    let snapshotMs: number | undefined;
    let logged = "";
    let count = 0;
    while (!signal.aborted) {
      await this.#parts.ready(signal).catch(() => {});
      await this.#parts.sink.ready();
      if (signal.aborted) return;
      const nowMs = this.#clock.monotonicMs();
      const isDue = snapshotMs === undefined || nowMs - snapshotMs >= snapshotEveryMs;
      const reason = snapshotMs === undefined ? "boot" : "periodic";
      try {
        count = await this.#inTurn(() => (isDue ? this.#snapshot(reason) : this.#compare()));
        if (isDue) snapshotMs = nowMs;
        logged = "";
      } catch (error) {
        const text = reasonOf(error).split("\n", 1)[0]?.slice(0, 200) ?? "";
        if (text !== logged && !signal.aborted)
          this.#parts.log.warn("reading schedules failed, retrying", { scheduler: this.#parts.name, reason: text });
        logged = text;
      }
      await pause(this.#clock, Math.max(this.#parts.readEveryMs, count * pausePerScheduleMs), signal);
    }
  }

  /** Reports all schedules, for the command `schedule.resync`. */
  async resync(): Promise<void> {
    await this.#inTurn(() => this.#snapshot("command"));
  }

  /** Reports one schedule after a command has changed it. @param read undefined when it does not exist any more. */
  async report(name: string, read: () => Promise<MirroredSchedule | undefined>): Promise<void> {
    await this.#inTurn(() =>
      this.#take(false, async () => {
        const schedule = await read();
        const change: ScheduleChange =
          schedule === undefined
            ? { kind: "schedule.deleted", name }
            : { kind: "schedule.updated", schedule: this.#complete([schedule])[0] ?? schedule };
        return { reports: [reportOf(change)], isReported: () => this.#note([change]) };
      }),
    );
  }

  /** Resolves with the number of schedules. */
  async #snapshot(reason: "boot" | "periodic" | "command"): Promise<number> {
    return await this.#take(reason === "boot", async () => {
      const schedules = await this.#read(reason === "command");
      const cut = cutIntoParts(schedules);
      const snapshotId = randomUUID();
      const reports = cut.map(
        (part, index): Report => ({
          kind: "schedule.snapshot",
          data: { snapshot_id: snapshotId, part: index + 1, parts: cut.length, reason, schedules: part },
        }),
      );
      const isReported = () => this.#known.replace(schedules, this.#clock.monotonicMs());
      return { reports, count: schedules.length, isReported };
    });
  }

  /** Reports what has changed since the last report. Resolves with the number of schedules. */
  async #compare(): Promise<number> {
    return await this.#take(false, async () => {
      const schedules = await this.#read();
      const changes = this.#known.changesTo(schedules, this.#clock.monotonicMs());
      return { reports: changes.map(reportOf), count: schedules.length, isReported: () => this.#note(changes) };
    });
  }

  async #take(
    isStart: boolean,
    readReports: () => Promise<{ reports: readonly Report[]; count?: number; isReported(): void }>,
  ): Promise<number> {
    const { positions } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      const newest = await positions.newest();
      const { reports, count = 0, isReported } = await readReports();
      if (reports.length === 0) return count;
      const since = attempt < mostAttempts ? newest : undefined;
      const first = await positions.take(reports.length, { isStart, since });
      if (first === undefined) continue;
      this.#emit(reports, first);
      isReported();
      return count;
    }
  }

  #emit(reports: readonly Report[], { epoch, sequence }: StreamPosition): void {
    const { name, engine, sink } = this.#parts;
    const occurredAt = new Date(this.#clock.nowMs()).toISOString();
    sink.emit(
      reports.map(({ kind, data }, index): EventRecord => {
        const stream = { epoch, sequence: sequence + index };
        const nativeId = `${epoch}/${stream.sequence}`;
        return {
          id: sidecarEventId({ engine, source: `scheduler ${name}`, nativeId, taskId: "", kind }),
          ...{ kind, engine, task_id: "", occurred_at: occurredAt },
          data: { scheduler: name, stream, ...data },
        };
      }),
    );
  }

  /** A second schedule of the same name is left out. */
  async #read(isRequested = false): Promise<readonly MirroredSchedule[]> {
    const read = await this.#parts.read(isRequested);
    const byName = new Map(read.toReversed().map((schedule) => [schedule.name, schedule]));
    return this.#complete(byName.size === read.length ? read : [...byName.values()]);
  }

  #complete(read: readonly MirroredSchedule[]): readonly MirroredSchedule[] {
    return this.#known.withLastRuns(read, this.#clock.nowMs());
  }

  #note(changes: readonly ScheduleChange[]): void {
    this.#known.note(changes, this.#clock.monotonicMs());
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => {});
    return done;
  }
}

function reportOf(change: ScheduleChange): Report {
  return change.kind === "schedule.deleted"
    ? { kind: change.kind, data: { name: change.name } }
    : { kind: change.kind, data: { schedule: change.schedule } };
}
