import { SnapshotDigest, type SnapshotFrame, type SnapshotRequest, type WatchFrame } from "@svc/protocol";
import { type Brain, BrainFault } from "../../src/brain/brain.ts";
import type { SchedulerClock } from "../../src/clock.ts";
import { createFakeCalls } from "./fake-calls.ts";
import { createFakeService, digestOf, instant, messageOf } from "./fake-service.ts";

/** The watch reports its progress at this interval. */
const progressMs = 5000;

export type FakeBrain = ReturnType<typeof createFakeBrain>;

const unavailable = () => new BrainFault("UNAVAILABLE: no connection", true);

/** The service's side of the contract, in memory, for any number of schedulers. */
export function createFakeBrain(clock: SchedulerClock) {
  const service = createFakeService(clock);
  const { faults } = service;
  const now = () => clock.now().getTime();
  const calls = createFakeCalls(service, now);
  /** Ends every open stream. */
  const streams = new Set<() => void>();
  let snapshots = 0;

  function count(name: string): void {
    service.calls.set(name, (service.calls.get(name) ?? 0) + 1);
  }

  /** One call: over an available connection, with latency, and with a time limit. */
  function call<Response>(
    name: string,
    own: SchedulerClock,
    timeoutMs: number,
    work: () => Response,
  ): Promise<Response> {
    count(name);
    return new Promise((resolve, reject) => {
      if (faults.isDown) return reject(unavailable());
      const cancel = own.after(timeoutMs, () => reject(new BrainFault("DEADLINE_EXCEEDED: no answer", true)));
      const answer = () => {
        try {
          if (faults.isDown) throw unavailable();
          const response = work();
          if (name === "fire" && faults.lostAnswers > 0) faults.lostAnswers -= 1;
          else {
            resolve(response);
            cancel();
          }
        } catch (fault) {
          cancel();
          reject(fault);
        }
      };
      if (faults.latencyMs > 0) clock.after(faults.latencyMs, answer);
      else answer();
    });
  }

  async function* snapshot({ known_through }: SnapshotRequest, signal: AbortSignal): AsyncGenerator<SnapshotFrame> {
    count("snapshot");
    if (faults.isDown) throw unavailable();
    snapshots += 1;
    const snapshot_id = `snapshot ${snapshots}`;
    const rows = [...service.schedules.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map(messageOf);
    const digest = new SnapshotDigest();
    for (const [index, row] of rows.entries()) {
      const stored = service.schedules.get(row.id)!;
      digest.add({
        id: row.id,
        controlToken: row.control_token,
        revision: row.revision,
        definitionDigest: digestOf(stored),
        nextRunAt: stored.nextRunAt === null ? null : new Date(stored.nextRunAt),
      });
      if (index === 0 && faults.missingRows > 0) rows.shift();
    }
    const end = { snapshot_id, watermark: service.revision, row_count: digestedRows(), digest: digest.end() };
    if (faults.wrongDigests > 0) end.digest = end.digest.replace(/^./, (first) => (first === "0" ? "1" : "0"));
    faults.wrongDigests = Math.max(0, faults.wrongDigests - 1);
    faults.missingRows = Math.max(0, faults.missingRows - 1);
    yield { header: { snapshot_id, contract_version: 1 } };
    for (const schedule of rows) {
      if (faults.isDown || signal.aborted) throw unavailable();
      if (schedule.revision > known_through) yield { row: { snapshot_id, schedule } };
      else yield { rows: { snapshot_id, schedules: [], cursors: [schedule] } };
    }
    yield { complete: end };

    function digestedRows(): number {
      return service.schedules.size;
    }
  }

  async function* watch(own: SchedulerClock, after: number, signal: AbortSignal): AsyncGenerator<WatchFrame> {
    count("watch");
    if (faults.isDown) throw unavailable();
    if (after < service.prunedThrough) {
      yield { gap: {} };
      return;
    }
    let position = after;
    let isOpen = true;
    let wake = () => {};
    const onWake = () => wake();
    const onEnd = () => {
      isOpen = false;
      wake();
    };
    service.wakes.add(onWake);
    streams.add(onEnd);
    signal.addEventListener("abort", onEnd, { once: true });
    try {
      for (;;) {
        const changes = [...service.changesAfter(position)];
        position = service.revision;
        if (faults.reordered) changes.reverse();
        for (const change of changes) {
          yield { change };
          if (faults.duplicates) yield { change };
        }
        const progress = { scanned_through: { revision: position, server_revision: position } };
        yield progress;
        if (faults.duplicates) yield progress;
        await new Promise<void>((resolve) => {
          const cancel = own.after(progressMs, resolve);
          wake = () => {
            cancel();
            resolve();
          };
          if (!isOpen || service.revision > position) wake();
        });
        while (faults.isSilent && isOpen) await new Promise<void>((resolve) => (wake = resolve));
        if (!isOpen) throw unavailable();
      }
    } finally {
      service.wakes.delete(onWake);
      streams.delete(onEnd);
      signal.removeEventListener("abort", onEnd);
    }
  }

  return {
    ...service,
    /** Cuts all connections and refuses new ones. */
    goDown(): void {
      faults.isDown = true;
      for (const end of [...streams]) end();
    },
    comeBack(): void {
      faults.isDown = false;
    },
    /** A connection for the scheduler of this name. */
    connect: (name: string, own: SchedulerClock = clock): Brain => ({
      ping: (timeoutMs) =>
        call("ping", own, timeoutMs, () => ({
          brain_version: "1.0.0",
          brain_time: instant(now()),
          contract_version: 1,
          cadence_fingerprint: faults.fingerprint,
        })),
      snapshot,
      watch: (request, signal) => watch(own, request.after_revision, signal),
      fire: (request, timeoutMs) => call("fire", own, timeoutMs, () => calls.fire(request, name)),
      advance: (request, timeoutMs) => call("advance", own, timeoutMs, () => calls.advance(request)),
      quarantine: (request, timeoutMs) => call("quarantine", own, timeoutMs, () => calls.quarantine(request)),
      close() {},
    }),
  };
}
