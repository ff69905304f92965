import { finishedKinds } from "@svc/protocol";
import { minutes } from "../../platform/durations.ts";
import { invalid } from "../../platform/http/error-codes.ts";
import { parseInstant } from "../../platform/http/schemas.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import {
  countsOfQueues,
  depthsOfQueue,
  depthsOfQueues,
  queueKeys,
  sharedQueueNames,
  totalsOfQueues,
} from "./activity-reads.ts";
import { depthCell, depthCellMs, depthsKeptMs } from "./depth-store.ts";
import type { ActivityQuery, DepthsQuery } from "./schemas.ts";

/** Maximum queues in one answer. */
const maxQueues = 2000;

const kinds = ["task.sent", "task.started", ...finishedKinds];

/** What recently entered and left each queue, with its depth over that time. */
export async function readQueueActivity(
  db: BrainDatabase,
  { projectId, query, now }: { projectId: string; query: ActivityQuery; now: Date },
) {
  const { engine, name } = query;
  const only = { ...(engine !== undefined && { engine }), ...(name !== undefined && { name }) };
  const from = new Date(Math.floor(now.getTime() / minutes(1)) * minutes(1) - minutes(query.minutes));
  const firstCell = depthCell(from);
  const keys = await queueKeys(db, projectId, { limit: maxQueues + 1, only });
  const shown = keys.slice(0, maxQueues);
  const names = [...new Set(shown.map((queue) => queue.name))];
  const shared = await sharedQueueNames(db, projectId, names);
  const own = names.filter((each) => !shared.has(each));
  const range = { from, to: now, kinds };
  const [totals, counts, depths] = await Promise.all([
    totalsOfQueues(db, projectId, { ...range, names: own }),
    countsOfQueues(db, projectId, { ...range, names: [...shared] }),
    depthsOfQueues(db, projectId, { from: firstCell, ids: shown.map(({ id }) => id) }),
  ]);
  const totalsByName = Map.groupBy(totals, ({ queue }) => queue);
  const byQueue = Map.groupBy(counts, (row) => `${row.engine}\0${row.queue}`);
  const depthsById = Map.groupBy(depths, (row) => row.queue_id);
  const steps = Math.floor((now.getTime() - firstCell.getTime()) / depthCellMs) + 1;

  const items = shown.map(({ id, engine: ofEngine, name: ofName }) => {
    const counted = (shared.has(ofName) ? byQueue.get(`${ofEngine}\0${ofName}`) : totalsByName.get(ofName)) ?? [];
    const sumOf = (wanted: readonly string[]) =>
      counted.filter(({ kind }) => wanted.includes(kind)).reduce((sum, { count }) => sum + count, 0);
    const pending = new Array<number | null>(steps).fill(null);
    for (const { cell_at, pending_count } of depthsById.get(id) ?? []) {
      const step = (cell_at.getTime() - firstCell.getTime()) / depthCellMs;
      if (step < steps) pending[step] = Number(pending_count);
    }
    return {
      queue_id: id,
      engine: ofEngine,
      name: ofName,
      entered: sumOf(["task.sent"]),
      started: sumOf(["task.started"]),
      ended: sumOf(finishedKinds),
      failed: sumOf(["task.failed"]),
      pending,
    };
  });
  return { from, to: now, step_seconds: depthCellMs / 1000, truncated: keys.length > maxQueues, items };
}

/** The depth of a queue over a range, by default everything that is kept. */
export async function readQueueDepths(
  db: BrainDatabase,
  { projectId, queueId, query, now }: { projectId: string; queueId: string; query: DepthsQuery; now: Date },
) {
  const keptFrom = new Date(now.getTime() - depthsKeptMs);
  const to = (query.until === undefined ? null : parseInstant(query.until)) ?? now;
  const dayBefore = new Date(to.getTime() - depthsKeptMs);
  const byDefault = keptFrom < to ? keptFrom : dayBefore;
  const from = (query.since === undefined ? null : parseInstant(query.since)) ?? byDefault;
  if (from >= to) throw invalid({ loc: ["query", "since"], type: "range", message: "must be before until" });
  const cells = await depthsOfQueue(db, projectId, {
    id: queueId,
    from: depthCell(from > keptFrom ? from : keptFrom),
    to,
  });
  const series = cells.map(({ cell_at, pending_count, consumer_count }) => ({
    t: cell_at,
    pending: Number(pending_count),
    consumers: Number(consumer_count),
  }));
  return { from, to, kept_from: keptFrom, step_seconds: depthCellMs / 1000, series };
}
