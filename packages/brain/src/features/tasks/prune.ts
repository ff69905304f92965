import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { appendStateDeltas } from "../stats/index.ts";
import { deleteTasks } from "./delete-store.ts";
import { type ExpiredTask, expiredTaskIds, lockExpired } from "./prune-store.ts";

export const rowsPerBatch = 5000;

/**
 * Deletes one batch of tasks without an event since `cutoff`, with their links, what searches find them by, and their share of the
 * counts by state.
 *
 * @returns how many were looked at and how many went; fewer looked at than a batch means that nothing is left.
 */
export async function pruneTaskBatch(
  database: Database<Tables>,
  cutoff: Date,
  limit = rowsPerBatch,
): Promise<{ seen: number; deleted: number }> {
  const ids = await expiredTaskIds(database, cutoff, limit);
  if (ids.length === 0) return { seen: 0, deleted: 0 };
  const deleted = await database.write(async (tx) => {
    const expired = await lockExpired(tx, database.dialect, ids, cutoff);
    for (const [projectId, own] of Map.groupBy(expired, ({ project_id }) => project_id)) {
      await deleteTasks(tx, database.dialect, projectId, own);
    }
    await appendStateDeltas(tx, lossesByState(expired));
    return expired.length;
  });
  return { seen: ids.length, deleted };
}

function lossesByState(tasks: readonly ExpiredTask[]) {
  const losses = new Map<string, { projectId: string; state: string; by: number }>();
  for (const { project_id: projectId, state } of tasks) {
    const loss = losses.get(`${projectId}\0${state}`);
    if (loss === undefined) losses.set(`${projectId}\0${state}`, { projectId, state, by: -1 });
    else loss.by -= 1;
  }
  return [...losses.values()];
}
