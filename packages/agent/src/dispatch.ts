import { brainErrorCodes, type Frame, wireLimits } from "@svc/protocol";
import type { AgentLog } from "./adapter.ts";
import type { DurableBuffer } from "./buffer/buffer.ts";
import type { Drain } from "./buffer/drain.ts";
import type { BufferEntry } from "./buffer/entry.ts";
import { smallerResult } from "./commands/reply.ts";
import type { CommandRouter } from "./commands/router.ts";
import { splitBatch, withoutUnsequencedSchedules } from "./events/rewrite.ts";
import type { Clock } from "./runtime/clock.ts";
import { createSparseLog, type SparseLog } from "./runtime/log.ts";

export interface DispatchDependencies {
  readonly buffer: DurableBuffer;
  readonly drain: Drain;
  readonly router: CommandRouter;
  readonly clock: Clock;
  readonly log: AgentLog;
}

/** Frames are never made smaller than the brain's own lowest setting. */
const lowestFrameBytes = 8 * 1024;
const scanStep = { maxEntries: 50, maxBytes: 2 * 1024 * 1024 };

/** What the agent does with frames of the brain, and with its own entries when they do not fit. */
export class Dispatch {
  #dependencies: DispatchDependencies;
  #sparse: SparseLog;
  #loweredFrameBytes = Number.POSITIVE_INFINITY;
  #isScanning = false;

  constructor(dependencies: DispatchDependencies) {
    this.#dependencies = dependencies;
    this.#sparse = createSparseLog(dependencies.log, dependencies.clock);
  }

  /** True when the frame confirmed events. What cannot be read is left out. */
  receive(frame: Frame): boolean {
    const { payload, type } = frame;
    if (type === "command") this.#dependencies.router.handle(frame);
    else if (type === "event_batch_ack") return this.#acknowledged(payload);
    else if (type === "error") this.#failed(payload ?? {});
    else this.#sparse("warn", `type ${type}`, "a frame that only agents send came from the brain; ignored", { type });
    return false;
  }

  frameLimitBytes(announcedBytes: number): number {
    return Math.min(announcedBytes, this.#loweredFrameBytes);
  }

  /**
   * Halves a batch, down to the single event, which no frame can carry and which is dropped and counted. The result of a command
   * becomes a failed one that says so.
   */
  tooLarge(entry: BufferEntry): void {
    const { drain, log } = this.#dependencies;
    const smaller = smallerResult(entry);
    const parts = smaller === undefined ? splitBatch(entry) : [smaller];
    if (parts !== undefined) {
      drain.replace(entry, parts);
      return;
    }
    log.warn("an entry is larger than the brain's largest frame and was dropped", { sizeBytes: entry.sizeBytes });
    drain.reject(entry);
  }

  /**
   * The peer closed with 1009. Entries are checked against the announced limit before sending, so something between here and the
   * brain has a lower one: the largest entry on its way goes, and later frames stay under half its size.
   */
  refusedAsTooBig(): void {
    const { drain, log } = this.#dependencies;
    const offending = drain.largestInFlight();
    if (offending === undefined) return;
    this.#loweredFrameBytes = Math.max(lowestFrameBytes, Math.ceil(offending.sizeBytes / 2));
    log.error("a message was too big for the way to the brain; its entry was dropped", {
      sizeBytes: offending.sizeBytes,
      records: offending.records,
    });
    this.refused(offending);
  }

  /** Drops and counts an entry that the way to the brain does not take. Of a command's result the fact remains. */
  refused(entry: BufferEntry): void {
    const { drain } = this.#dependencies;
    const smaller = smallerResult(entry);
    if (smaller === undefined) drain.reject(entry);
    else drain.replace(entry, [smaller]);
  }

  /** Goes through the buffer in steps, so that a large one does not hold the host's thread. */
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
      this.#dependencies.log.error(
        "the brain needs a newer scheduler adapter; schedule events without stream position were dropped",
        { removed },
      );
    };
    step();
  }

  #acknowledged(payload: Record<string, unknown> | null): boolean {
    const { acked_id: batch, rejected, errors } = payload ?? {};
    if (Array.isArray(errors) && errors.length > 0) {
      const fields = { batch, rejected, errors: errors.slice(0, wireLimits.ackErrors) };
      this.#sparse("warn", "ack errors", "the brain did not take every event of a batch", fields);
    }
    return typeof batch === "string" && this.#dependencies.drain.confirmBatch(batch);
  }

  #failed({ code, message, fatal }: Record<string, unknown>): void {
    this.#sparse("error", `error ${String(code)}`, "the brain reports an error", { code, message, fatal });
    if (code === brainErrorCodes.schedulerUpgradeRequired) this.upgradeRequired();
  }
}
