import { sql } from "kysely";
import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import type { Tables, TaskLinkRow } from "../../../schema/tables/index.ts";

/** A task that replaced another one. */
export interface TaskLink {
  readonly projectId: string;
  readonly engine: string;
  readonly newId: string;
  readonly oldId: string;
  /** Milliseconds. */
  readonly at: number;
}

const rowsPerStatement = 500;

/** Joins retry links, each new id once: the smallest (at, old id) of a new id is kept, as with links that events carry. */
export async function recordLinks(tx: Tx<Tables>, links: readonly TaskLinkRow[]): Promise<void> {
  for (const some of chunks(links, rowsPerStatement)) {
    await tx
      .insertInto("task_links")
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "engine", "new_id"])
          .doUpdateSet((eb) => ({ old_id: eb.ref("excluded.old_id"), linked_at: eb.ref("excluded.linked_at") }))
          .where(sql<boolean>`(excluded.linked_at, excluded.old_id) < (task_links.linked_at, task_links.old_id)`),
      )
      .execute();
  }
}
