import type { Log } from "../../platform/log.ts";
import type { Core } from "../../schema/tables/index.ts";
import { writeProbeRow } from "./store.ts";

export type WriteFault = "write_probe_failed" | "write_probe_stale";

/** An older probe does not show the current state. */
const staleMs = 30_000;
/** Time limit of a round of the loop; the write itself continues, and no second one starts while it runs. */
const roundMs = 20_000;

export interface WriteProbeDeps extends Core {
  readonly log: Pick<Log, "warn" | "info">;
  readonly processId: string;
}

/** Whether this process can write to the database: reads still work when the disk is full or a server has become read-only. */
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
      // Logged once each time that writing starts to fail.
      if (!hasFailed) log.warn("database.not_writable", { err: error });
      hasFailed = true;
    } finally {
      writing = null;
    }
  }

  return {
    /** Writes one small row and waits for it up to a limit. Never throws. */
    async run() {
      writing ??= write();
      const bound = Promise.withResolvers<void>();
      const timer = setTimeout(bound.resolve, roundMs);
      await Promise.race([writing, bound.promise]);
      clearTimeout(timer);
    },
    /** Why the database does not count as writable; null when it does. */
    fault(): WriteFault | null {
      if (hasFailed) return "write_probe_failed";
      return isWritable && clock.monotonicMs() - wroteMs <= staleMs ? null : "write_probe_stale";
    },
  };
}

export type WriteProbe = ReturnType<typeof createWriteProbe>;
