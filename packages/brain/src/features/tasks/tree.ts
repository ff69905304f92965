import type { Database } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { type FamilyMember, familyOf, findTask } from "./reads.ts";

const maxNodes = 500;

/** Every task of the project that shares the root of this one, by (received_at, task_id); at most 500, and `truncated` says when. */
export async function readTree(
  database: Database<Tables>,
  address: { projectId: string; engine: string; taskId: string },
): Promise<{ root_task_id: string; node_count: number; truncated: boolean; nodes: FamilyMember[] }> {
  const task = await findTask(database, address);
  if (task === null) throw new ApiError("not_found", { resource: "task" });
  const rootId = task.root_task_id ?? task.task_id;
  const members = await familyOf(database, address.projectId, address.engine, rootId, maxNodes + 1);
  const nodes = members.slice(0, maxNodes);
  return { root_task_id: rootId, node_count: nodes.length, truncated: members.length > maxNodes, nodes };
}
