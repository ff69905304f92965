import { setTimeout as pause } from "node:timers/promises";
import { taskRowId } from "@svc/protocol";
import { CoalescingQueue } from "../../../platform/coalescing/coalescing-queue.ts";
import type { Log } from "../../../platform/log.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { awaitedInProjects } from "../rounds/children-store.ts";

/** Row ids of changed tasks in a project; null when there were too many. */
export interface ChangedTasks {
  readonly projectId: string;
  readonly ids: readonly string[] | null;
}

/** Tasks change constantly and few belong to a canary, so one check covers all changes within this time. */
const gatherMs = 50;
const maxProjects = 10_000;
const maxTasks = 10_000;
const everyChange = "";

type Deps = { readonly database: Pick<BrainDatabase, "read">; readonly log: Log };

/** Wakes bulk retries that wait for a canary task when this process stores a change of it. */
export class CanaryWatch {
  readonly #read: BrainDatabase["read"];
  readonly #wake: (parentId: string) => void;
  readonly #checks: CoalescingQueue<void>;
  #changes = new Map<string, Set<string> | null>();

  constructor({ database, log }: Deps, wake: (parentId: string) => void) {
    this.#read = database.read;
    this.#wake = wake;
    this.#checks = new CoalescingQueue(
      () => this.#wakeAffected(),
      (_key, { message }) => log.warn("bulk_retries.look_failed", { message }),
    );
  }

  /** Never throws, never waits. */
  tasksChanged(change: ChangedTasks): void {
    this.#keep(change);
    void this.#checks.run(everyChange);
  }

  stop(): Promise<void> {
    return this.#checks.stop();
  }

  /** Changes beyond the limits are found by the tick. */
  #keep({ projectId, ids }: ChangedTasks): void {
    const known = this.#changes.get(projectId);
    if (known === undefined && this.#changes.size >= maxProjects) return;
    if (known === null || ids === null || (known?.size ?? 0) + ids.length > maxTasks) {
      this.#changes.set(projectId, null);
    } else if (known === undefined) this.#changes.set(projectId, new Set(ids));
    else for (const id of ids) known.add(id);
  }

  async #wakeAffected(): Promise<void> {
    await pause(gatherMs);
    const taken = this.#changes;
    this.#changes = new Map();
    try {
      const awaited = await awaitedInProjects(this.#read, [...taken.keys()]);
      const found = awaited.filter(({ project_id, engine, task_id, new_task_id }) => {
        const ids = taken.get(project_id);
        return ids == null || ids.has(taskRowId(project_id, engine, new_task_id ?? task_id));
      });
      for (const id of new Set(found.map(({ parent_id }) => parent_id))) this.#wake(id);
    } catch (error) {
      for (const [projectId, ids] of taken) this.#keep({ projectId, ids: ids && [...ids] });
      throw error;
    }
  }
}
