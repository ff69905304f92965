import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { Audit } from "./audit.ts";
import type { RetentionMetrics, VerifierMetrics } from "./metrics.ts";
import { ConcurrentPrune, pastRetention } from "./retention/prune.ts";
import type { AuditSettings } from "./settings.ts";

/** Removes the oldest expired audit rows. Leader only: two processes at once would only undo each other's work. */
export const pruneAudit: Loop<{
  audit: Pick<Audit, "prune" | "newestRowAt">;
  clock: Pick<Clock, "now">;
  settings: AuditSettings;
  metrics: RetentionMetrics;
}> = {
  name: "audit.retention",
  everyMs: ({ settings }) => settings.SVC_AUDIT_RETENTION_SWEEP_INTERVAL_SECONDS * 1000,
  leaderOnly: true,
  removesByAge: true,
  async tick({ audit, clock, settings, metrics, signal }) {
    const base = retentionBase(clock.now(), await audit.newestRowAt());
    let deleted = 0;
    try {
      const mayGo = pastRetention(settings, base ?? clock.now());
      for (let isEnd = base === null; !isEnd && !signal.aborted; ) {
        const left = settings.SVC_AUDIT_RETENTION_SWEEP_MAX_PER_PASS - deleted;
        if (left <= 0) break;
        const batch = await audit.prune({
          mayGo,
          maxRows: Math.min(left, settings.SVC_AUDIT_RETENTION_SWEEP_BATCH_SIZE),
        });
        deleted += batch.removed;
        isEnd = batch.isEnd;
      }
    } catch (error) {
      // An operator is pruning by hand; the next sweep continues.
      if (!(error instanceof ConcurrentPrune)) throw error;
    } finally {
      metrics.swept(deleted, clock.now());
    }
    return { deleted };
  },
};

/** Verifies the chain. Leader only: once is enough. A failed verification is logged and the service continues. */
export const verifyAudit: Loop<{
  audit: Pick<Audit, "verify" | "noteVerification">;
  settings: AuditSettings;
  metrics: VerifierMetrics;
  log: Pick<Log, "error">;
}> = {
  name: "audit.verify-chain",
  everyMs: ({ settings }) => settings.SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS * 1000,
  leaderOnly: true,
  async tick({ audit, metrics, log, signal }) {
    const { outcome, fault, rows } = await audit.verify({ signal }).catch(async (error: unknown) => {
      if (!signal.aborted) {
        metrics.verified("error");
        await audit.noteVerification({ outcome: "error" });
      }
      throw error;
    });
    metrics.verified(outcome, rows);
    if (fault !== null) log.error("audit.chain_failed", { reason: fault.reason, row_id: fault.row_id, rows });
    await audit.noteVerification({ outcome, rows, ...(fault?.row_id && { row_id: fault.row_id }) });
    return { outcome, rows };
  },
};
