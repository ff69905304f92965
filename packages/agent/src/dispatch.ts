import { brainErrorCodes, type Frame, wireLimits } from "@svc/protocol";
import type { AgentLog } from "./adapter.ts";
import type { DurableBuffer } from "./buffer/buffer.ts";
import type { Drain } from "./buffer/drain.ts";
import type { BufferEntry } from "./buffer/entry.ts";
import { smallerResult } from "./commands/reply.ts";
import type { CommandRouter } from "./commands/router.ts";
import { splitBatch, withoutUnsequencedSchedules } from "./events/rewrite.ts";
import type { Clock } from "./runtime/clock.ts";
import { createThrottledLog, type ThrottledLog } from "./runtime/log.ts";

export interface DispatchDependencies {
  readonly buffer: DurableBuffer;
  readonly drain: Drain;
  readonly router: CommandRouter;
  readonly clock: Clock;
  readonly log: AgentLog;
}

/** Frames are never made smaller than the minimum of the brain's setting. */
const lowestFrameBytes = 8 * 1024;
const scanStep = { maxEntries: 50, maxBytes: 2 * 1024 * 1024 };

/** Handles frames from the brain, and the agent's own entries that do not fit. */
export class Dispatch {
  #dependencies: DispatchDependencies;
  #sparse: ThrottledLog;
  #loweredFrameBytes = Number.POSITIVE_INFINITY;
  #isScanning = false;

  constructor(dependencies: DispatchDependencies) {
    this.#dependencies = dependencies;
    this.#sparse = createThrottledLog(dependencies.log, dependencies.clock);
  }

  /** True when the frame confirmed events. Ignores invalid parts. */
  receive(frame: Frame): boolean {
    const { payload, type } = frame;
    if (type === "command") this.#dependencies.router.handle(frame);
    else if (type === "event_batch_ack") return this.#acknowledged(payload);
    else if (type === "error") this.#failed(payload ?? {});
    else this.#sparse("warn", `type ${type}`, "ignored a frame from the brain that only agents send", { type });
    return false;
  }

  frameLimitBytes(announcedBytes: number): number {
    return Math.min(announcedBytes, this.#loweredFrameBytes);
  }

  /**
   * Splits a batch in half. A single event that fits no frame is dropped and counted. The result of a command becomes a failed one with an
   * explanation.
   */
  tooLarge(entry: BufferEntry): void {
    const { drain, log } = this.#dependencies;
    const smaller = smallerResult(entry);
    const parts = smaller === undefined ? splitBatch(entry) : [smaller];
    if (parts !== undefined) {
      drain.replace(entry, parts);
      return;
    }
    log.warn("dropped an entry larger than the maximum frame size", { sizeBytes: entry.sizeBytes });
    drain.reject(entry);
  }

  /**
   * Handles a close with 1009. Entries are checked against the announced limit before sending, so a proxy has a lower one: drops the largest
   * entry in flight and limits later frames to half its size.
   */
  refusedAsTooBig(): void {
    const { drain, log } = this.#dependencies;
    const offending = drain.largestInFlight();
    if (offending === undefined) return;
    this.#loweredFrameBytes = Math.max(lowestFrameBytes, Math.ceil(offending.sizeBytes / 2));
    log.error("dropped an entry that was too big for the connection to the brain", {
      sizeBytes: offending.sizeBytes,
      records: offending.records,
    });
    this.refused(offending);
  }

  /** Drops and counts an entry that the connection refuses. A command's result is replaced by its status. */
  refused(entry: BufferEntry): void {
    const { drain } = this.#dependencies;
    const smaller = smallerResult(entry);
    if (smaller === undefined) drain.reject(entry);
    else drain.replace(entry, [smaller]);
  }

  /** Scans the buffer in steps, so that a large one does not block the host's thread. */
  upgradeRequired(): void {
    if (this.#isScanning) return;
    this.#isScanning = true;
    let afterSeq = 0;
    let removed = 0;
    const step = (): void => {
      const entries = this.#dependencies.buffer.read("events", afterSeq, scanStep);
      for (const entry of entries) {
        afterSeq = entry.seq;
        const stripped = withoutUnsequencedSchedules(entry);
        if (stripped === undefined) continue;
        removed += stripped.removed;
        this.#dependencies.drain.replace(entry, stripped.rest);
      }
      if (entries.length > 0) {
        setImmediate(step);
        return;
      }
      this.#isScanning = false;
      this.#dependencies.log.error("dropped schedule events without stream position, update the scheduler adapter", {
        removed,
      });
    };
    step();
  }

  #acknowledged(payload: Record<string, unknown> | null): boolean {
    const { acked_id: batch, rejected, errors } = payload ?? {};
    if (Array.isArray(errors) && errors.length > 0) {
      const fields = { batch, rejected, errors: errors.slice(0, wireLimits.ackErrors) };
      this.#sparse("warn", "ack errors", "the brain did not accept every event of a batch", fields);
    }
    return typeof batch === "string" && this.#dependencies.drain.confirmBatch(batch);
  }

  #failed({ code, message, fatal }: Record<string, unknown>): void {
    this.#sparse("error", `error ${String(code)}`, "the brain reported an error", { code, message, fatal });
    if (code === brainErrorCodes.schedulerUpgradeRequired) this.upgradeRequired();
  }
}
