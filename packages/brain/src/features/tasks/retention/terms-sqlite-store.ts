import { sql } from "kysely";
import type { BrainDatabase } from "../../../schema/tables/index.ts";

/** The last term of a page: the key of `task_terms`. */
export type TermPosition = readonly [projectId: string, field: string, value: string];

interface Page {
  /** Positions of the terms that no task of their project uses. */
  readonly unused: readonly number[];
  /** Null after the last page. */
  readonly next: TermPosition | null;
}

const isUsed = sql<number>`CASE t.field
  WHEN 'name' THEN EXISTS (SELECT 1 FROM tasks WHERE project_id = t.project_id AND name = t.value)
  WHEN 'queue' THEN EXISTS (SELECT 1 FROM tasks WHERE project_id = t.project_id AND queue = t.value)
  ELSE EXISTS (SELECT 1 FROM tasks WHERE project_id = t.project_id AND worker_name = t.value) END`;

/** One page of SQLite's terms in key order, scanned in the reader thread. */
export async function unusedTerms({ slow }: BrainDatabase, after: TermPosition | null, limit: number): Promise<Page> {
  const [projectId, field, value] = after ?? ["", "", ""];
  const { rows } = await sql<{ place: number; project_id: string; field: string; value: string; used: number }>`
    SELECT t.rowid AS place, t.project_id, t.field, t.value, ${isUsed} AS used FROM task_terms AS t
    WHERE (t.project_id, t.field, t.value) > (${projectId}, ${field}, ${value})
    ORDER BY t.project_id, t.field, t.value LIMIT ${limit}`.execute(slow);
  const last = rows.at(-1);
  return {
    unused: rows.filter(({ used }) => used === 0).map(({ place }) => place),
    next: last === undefined || rows.length < limit ? null : [last.project_id, last.field, last.value],
  };
}

/** Deletes those of the given terms that are still unused, invalidates the writer's cache of stored terms, and returns how many were deleted. */
export async function deleteUnusedTerms({ write }: BrainDatabase, places: readonly number[]): Promise<number> {
  return write(async (tx) => {
    const { numAffectedRows } = await sql`
      DELETE FROM task_terms AS t
      WHERE t.rowid IN (SELECT given.value FROM json_each(${JSON.stringify(places)}) AS given) AND NOT ${isUsed}`.execute(
      tx,
    );
    // Must differ from the previous value. It is random, because a counter could repeat a value after a rollback.
    await sql`UPDATE task_search_mark SET terms_epoch = abs(random() % 1000000007)`.execute(tx);
    return Number(numAffectedRows ?? 0);
  });
}
