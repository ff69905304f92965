import { setImmediate } from "node:timers/promises";
import type { ExportField } from "@svc/client/task-query";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { matchingPage } from "./list.ts";
import type { Plan } from "./query/query.ts";
import { addressKey, lineageOf } from "./reads.ts";
import type { Search } from "./search/find-matches.ts";
import type { Position } from "./search/match-reads.ts";
import { type PublicTask, partOfTask, publicColumns } from "./task-public.ts";

const batchRows = 500;

/** What links and positions need, whichever fields are asked. */
const addressColumns = ["engine", "task_id"] as const;

/**
 * All matches, newest first, in batches that are bounded like a page, so that what an export reads is what it is sending; of each row
 * only what the fields need. Every batch waits its turn at the connection for long reads: the process goes on meanwhile, and whoever else
 * asks there is answered between two batches.
 */
export async function* batchesOf(
  { database, projectId }: { database: Database<Tables>; projectId: string },
  { filter, content }: Pick<Plan, "filter"> & Partial<Plan>,
  fields: readonly ExportField[],
): AsyncGenerator<readonly Partial<PublicTask>[]> {
  const { slow: db, dialect } = database;
  const needed: ReadonlySet<string> = new Set(fields);
  const reads = { db, dialect, columns: [...addressColumns, ...publicColumns.filter((column) => needed.has(column))] };
  const isLinked = needed.has("retry_of") || needed.has("retried_as");
  const limits = { limit: batchRows, budgetMs: Number.POSITIVE_INFINITY };
  let after: Position | null = null;
  do {
    const search: Search = { projectId, filter, content, after, ...limits };
    const { rows, next } = await matchingPage(database, search, reads);
    const lineage = isLinked ? await lineageOf(db, dialect, { projectId, tasks: rows }) : null;
    if (rows.length > 0) yield rows.map((row) => partOfTask(row, lineage?.get(addressKey(row))));
    after = next;
    // The reader may have answered again before the loop has looked at anything else.
    await setImmediate();
  } while (after !== null);
}
