import { setTimeout as pause } from "node:timers/promises";
import { taskRowId } from "@svc/protocol";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Log } from "../../../platform/log.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { awaitedInProjects } from "../rounds/children-store.ts";

/** Rows of tasks that changed in a project; null when they were too many to name. */
interface TaskChange {
  readonly projectId: string;
  readonly ids: readonly string[] | null;
}

/** Tasks change all the time and few belong to a canary: one look serves all that changed within this time. */
const gatherMs = 50;
const maxProjects = 10_000;
const maxTasks = 10_000;
const everyChange = "";

/** Wakes the bulk retries that wait how a task of their canary ends, when this process has stored a change of it. */
export function createCanaryWatch(
  { database, log }: { readonly database: Pick<Database<Tables>, "read">; readonly log: Log },
  wake: (parentId: string) => void,
) {
  const looks = new CoalescingQueue(look, (_key, error) =>
    log.warn("bulk_retries.look_failed", { message: error.message }),
  );
  let changes = new Map<string, Set<string> | null>();

  /** What is beyond the bounds is found by the tick. */
  function keep({ projectId, ids }: TaskChange): void {
    const known = changes.get(projectId);
    if (known === undefined && changes.size >= maxProjects) return;
    if (known === null || ids === null || (known?.size ?? 0) + ids.length > maxTasks) changes.set(projectId, null);
    else if (known === undefined) changes.set(projectId, new Set(ids));
    else for (const id of ids) known.add(id);
  }

  async function look(): Promise<void> {
    await pause(gatherMs);
    const taken = changes;
    changes = new Map();
    try {
      const awaited = await awaitedInProjects(database.read, [...taken.keys()]);
      const found = awaited.filter(({ project_id, engine, task_id, new_task_id }) => {
        const ids = taken.get(project_id);
        return ids == null || ids.has(taskRowId(project_id, engine, new_task_id ?? task_id));
      });
      for (const id of new Set(found.map(({ parent_id }) => parent_id))) wake(id);
    } catch (error) {
      for (const [projectId, ids] of taken) keep({ projectId, ids: ids && [...ids] });
      throw error;
    }
  }

  return {
    /** Never throws, never waits. */
    tasksChanged(change: TaskChange): void {
      keep(change);
      void looks.run(everyChange);
    },
    stop: () => looks.stop(),
  };
}
