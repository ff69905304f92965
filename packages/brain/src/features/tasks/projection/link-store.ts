import { sql } from "kysely";
import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import type { Tables, TaskLinkRow } from "../../../schema/tables/index.ts";

/** A task that took the place of another one. */
export interface TaskLink {
  readonly projectId: string;
  readonly engine: string;
  readonly newId: string;
  readonly oldId: string;
  /** Milliseconds. */
  readonly at: number;
}

const rowsPerStatement = 500;

/** Joins retry links, each new id once: of one the smallest (at, old id) stands, as with those that events carry (spec part 3, section 4.3). */
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
