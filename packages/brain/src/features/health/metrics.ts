import type { Metrics } from "../../platform/metrics.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";

/** Gauges of the process itself and of its database connections. */
export function registerProcessMetrics(
  metrics: Pick<Metrics, "gauge">,
  database: Pick<BrainDatabase, "poolStats">,
): void {
  const memory = metrics.gauge({
    name: "svc_brain_rss_bytes",
    help: "resident memory of this process",
    collect(): void {
      memory.set(process.memoryUsage.rss());
    },
  });
  const size = metrics.gauge({
    name: "svc_db_pool_size",
    help: "open database connections",
    collect(): void {
      size.set(database.poolStats().size);
    },
  });
  const checkedOut = metrics.gauge({
    name: "svc_db_pool_checked_out",
    help: "database connections in use",
    collect(): void {
      checkedOut.set(database.poolStats().checkedOut);
    },
  });
}
