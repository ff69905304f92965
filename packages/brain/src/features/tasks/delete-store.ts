import type { Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

export interface DeletedTask {
  readonly id: string;
  readonly engine: string;
  readonly task_id: string;
  readonly state: string;
}

const idsPerStatement = 500;

/** Deletes rows of one project by id, with the links of their own ids; unknown ids and those of other projects are passed over. */
export async function deleteTasks(tx: Tx<Tables>, projectId: string, ids: readonly string[]): Promise<DeletedTask[]> {
  const gone: DeletedTask[] = [];
  const sorted = [...ids].sort();
  for (let start = 0; start < sorted.length; start += idsPerStatement) {
    const some = sorted.slice(start, start + idsPerStatement);
    const rows = await tx
      .deleteFrom("tasks")
      .where("project_id", "=", projectId)
      .where("id", "in", some)
      .returning(["id", "engine", "task_id", "state"])
      .execute();
    gone.push(...rows);
    if (rows.length === 0) continue;
    await tx
      .deleteFrom("task_links")
      .where("project_id", "=", projectId)
      .where((eb) =>
        eb(
          eb.refTuple("engine", "new_id"),
          "in",
          rows.map(({ engine, task_id }) => eb.tuple(engine, task_id)),
        ),
      )
      .execute();
  }
  return gone;
}
