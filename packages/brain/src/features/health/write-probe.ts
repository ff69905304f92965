import type { Log } from "../../platform/log.ts";
import type { Core } from "../../schema/tables/index.ts";
import { writeProbeRow } from "./store.ts";

export type WriteFault = "write_probe_failed" | "write_probe_stale";

/** A probe older than this says nothing about the present. */
const staleMs = 30_000;
/** A round of the loop waits no longer than this; the write itself goes on, and no other is begun beside it. */
const roundMs = 20_000;

export interface WriteProbeDeps extends Core {
  readonly log: Pick<Log, "warn" | "info">;
  readonly processId: string;
}

/** Whether this process can write to the database: reads go on where a disk is full or a server has become read-only. */
export function createWriteProbe({ database, clock, log, processId }: WriteProbeDeps) {
  let isWritable = false;
  let wroteMs = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | null = null;
  let hasFailed = false;

  async function write(): Promise<void> {
    try {
      await writeProbeRow(database, JSON.stringify({ process: processId, at: clock.now().toISOString() }));
      wroteMs = clock.monotonicMs();
      isWritable = true;
      if (hasFailed) log.info("database.writable", {});
      hasFailed = false;
    } catch (error) {
      isWritable = false;
      // Once for each time that writing begins to fail.
      if (!hasFailed) log.warn("database.not_writable", { err: error });
      hasFailed = true;
    } finally {
      writing = null;
    }
  }

  return {
    /** Writes one small row and waits for it, but not for ever. Never throws. */
    async run() {
      writing ??= write();
      const bound = Promise.withResolvers<void>();
      const timer = setTimeout(bound.resolve, roundMs);
      await Promise.race([writing, bound.promise]);
      clearTimeout(timer);
    },
    /** Why the database counts as not writable; null while it is. */
    fault(): WriteFault | null {
      if (hasFailed) return "write_probe_failed";
      return isWritable && clock.monotonicMs() - wroteMs <= staleMs ? null : "write_probe_stale";
    },
  };
}

export type WriteProbe = ReturnType<typeof createWriteProbe>;
