import type { Clock } from "../../platform/clock.ts";
import type { SqliteBulk } from "../../platform/database/database.ts";
import { storedTask } from "../tasks/index.ts";
import { columnsOf, type GroupResult } from "./columns.ts";
import type { ChangedTask, CommitEvents } from "./commit.ts";
import { groupEvents } from "./group.ts";
import type { PreparedEvent } from "./prepare.ts";

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
    const stored = new Set<PreparedEvent>();
    for (const [index, event] of group.events.entries()) if (result.inserted[index] === 1) stored.add(event);
    const names = new Map(result.names);
    const tasks: ChangedTask[] = [];
    for (const [index, { id, row }] of group.tasks.entries()) {
      const after = result.after[index] as number;
      if (after < 0) continue;
      tasks.push({
        projectId: row.project_id,
        id,
        name: names.get(index) ?? row.name,
        stateBefore: result.states[result.before[index] as number] ?? null,
        stateAfter: result.states[after] as string,
      });
    }
    return { inserted: given.map((event) => stored.has(event)), tasks, workers: result.workers };
  };
