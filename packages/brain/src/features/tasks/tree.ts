import type { TaskState } from "@svc/protocol";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { findPublicTask, type TreeTask, tasksNamed, tasksOfRoot } from "./reads.ts";

const maxNodes = 500;

/** Every task of the project with the same root as this one, by (received_at, task_id); at most 500, with `truncated` when there are more. */
export async function readTree(
  database: BrainDatabase,
  address: { projectId: string; engine: string; taskId: string },
) {
  const { projectId, engine } = address;
  const task = await findPublicTask(database, address);
  if (task === null) throw new ApiError("not_found", { resource: "task" });
  const rootId = task.root_task_id ?? task.task_id;
  const members = await tasksOfRoot(database, projectId, rootId, maxNodes + 1);
  const roots = await rootsOf(database, { projectId, engine, rootId }, members);
  const isMember = (root: TreeTask) =>
    members.some((one) => one.engine === root.engine && one.task_id === root.task_id);
  const all = [...roots.filter((root) => !isMember(root)), ...members].sort(byTime);
  const nodes = all.slice(0, maxNodes) as (TreeTask & { readonly state: TaskState })[];
  return { root_task_id: rootId, node_count: nodes.length, truncated: all.length > maxNodes, nodes };
}

/** The root itself, which names no root: in the engine of the requested task, else in an engine of its family (one engine may call another). */
async function rootsOf(
  database: BrainDatabase,
  { projectId, engine, rootId }: { projectId: string; engine: string; rootId: string },
  members: readonly TreeTask[],
): Promise<TreeTask[]> {
  const own = await tasksNamed(database, { projectId, engines: [engine], taskId: rootId });
  if (own.length > 0) return own;
  const engines = [...new Set(members.map((member) => member.engine))];
  return tasksNamed(database, { projectId, engines, taskId: rootId });
}

const byTime = (a: TreeTask, b: TreeTask) =>
  a.received_at.getTime() - b.received_at.getTime() || (a.task_id < b.task_id ? -1 : a.task_id > b.task_id ? 1 : 0);
