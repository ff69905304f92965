import type { Tx } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { appendStateDeltas } from "../../stats/index.ts";
import { deleteTasks, type LockedTask } from "./delete-store.ts";

/** Deletes locked tasks with their links, search entries and counts by state. Their events are kept. */
export async function removeTasks(tx: Tx<Tables>, tasks: readonly LockedTask[]): Promise<void> {
  const losses: Parameters<typeof appendStateDeltas>[1][number][] = [];
  for (const [projectId, own] of Map.groupBy(tasks, ({ project_id }) => project_id)) {
    await deleteTasks(tx, projectId, own);
    for (const [state, removed] of Map.groupBy(own, (task) => task.state))
      losses.push({ projectId, state, by: -removed.length });
  }
  await appendStateDeltas(tx, losses);
}
