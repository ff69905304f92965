import type { Metrics } from "../../platform/metrics.ts";

export function createRetentionMetrics(metrics: Pick<Metrics, "counter" | "gauge">) {
  const pruned = metrics.counter({ name: "svc_audit_retention_pruned_total", help: "audit rows removed by retention" });
  const lastRun = metrics.gauge({
    name: "svc_audit_retention_last_run_timestamp",
    aggregator: "max",
    help: "Unix time of the last audit retention sweep, in seconds",
  });
  const lastDeleted = metrics.gauge({
    name: "svc_audit_retention_last_deleted",
    aggregator: "max",
    help: "audit rows that the last sweep removed",
  });
  return {
    /** A sweep has ended. */
    swept(removed: number, at: Date) {
      pruned.inc(removed);
      lastRun.set(Math.floor(at.getTime() / 1000));
      lastDeleted.set(removed);
    },
  };
}

export type RetentionMetrics = ReturnType<typeof createRetentionMetrics>;

const outcomes = ["clean", "failed", "error"] as const;

/** Created only when verification is enabled; otherwise neither metric exists. */
export function createVerifierMetrics(metrics: Pick<Metrics, "counter" | "gauge">) {
  const verifications = metrics.counter({
    name: "svc_audit_chain_verifications_total",
    help: "verifications of the audit chain",
    labels: ["outcome"],
  });
  for (const outcome of outcomes) verifications.inc({ outcome }, 0);
  const rowsVerified = metrics.gauge({
    name: "svc_audit_chain_rows_verified",
    aggregator: "max",
    help: "audit rows that the last verification found valid",
  });
  return {
    /** A verification has ended; `rows` that it found valid, unless it could not be done. */
    verified(outcome: (typeof outcomes)[number], rows?: number) {
      verifications.inc({ outcome });
      if (rows !== undefined) rowsVerified.set(rows);
    },
  };
}

export type VerifierMetrics = ReturnType<typeof createVerifierMetrics>;
