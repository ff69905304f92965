import type { PreparedEvent } from "../features/ingest/index.ts";
import type { Queues } from "../features/queues/index.ts";
import type { Workers } from "../features/workers/index.ts";

/** Notes the queues and workers that stored events name; gathered in memory, written later, never in the way of a batch. */
export function touchNamed(events: readonly PreparedEvent[], queues: Queues, workers: Workers): void {
  for (const { projectId, engine, queue, worker, depths, at } of events) {
    const occurredAt = new Date(at);
    if (queue !== null) queues.touch(projectId, engine, queue, occurredAt);
    if (worker !== null) workers.touch(projectId, engine, worker, occurredAt);
    if (depths !== null) queues.depthsReported(projectId, engine, Object.entries(depths), occurredAt);
  }
}
