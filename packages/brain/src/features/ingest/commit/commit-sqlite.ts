import type { Clock } from "../../../platform/clock.ts";
import type { SqliteBulk } from "../../../platform/database/database.ts";
import { storedTask } from "../../tasks/index.ts";
import { columnsOf, type GroupResult } from "./columns.ts";
import type { ChangedTask, CommitEvents } from "./commit.ts";
import { type GroupTask, groupEvents } from "./event-group.ts";

/** Hands groups to the writer thread, one message each. */
export const commitOnSqlite =
  (bulk: SqliteBulk, clock: Pick<Clock, "now">): CommitEvents =>
  async (given) => {
    const group = groupEvents(given);
    // The columns have no name here, so that nothing keeps them once they are sent.
    const result = (await bulk.job(
      "ingest.store-group",
      columnsOf(group, storedTask, clock.now().getTime()),
    )) as GroupResult;
    const stored = group.events.filter((_, index) => result.inserted[index] === 1);
    const names = new Map(result.names);
    const tasks: ChangedTask[] = [];
    for (let index = 0; index < group.tasks.length; index += 1) {
      const after = result.after[index] as number;
      if (after < 0) continue;
      const { id, row } = group.tasks[index] as GroupTask;
      tasks.push({
        projectId: row.project_id,
        id,
        name: names.get(index) ?? row.name,
        stateBefore: result.states[result.before[index] as number] ?? null,
        stateAfter: result.states[after] as string,
      });
    }
    return { stored, tasks, workers: result.workers };
  };
