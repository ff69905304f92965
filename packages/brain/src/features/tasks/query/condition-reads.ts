import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { DialectName } from "../../../platform/database/database.ts";
import { foldedHolds, holds } from "./folded-reads.ts";
import type { ListFilter } from "./query.ts";
import { termCondition } from "./term-condition-reads.ts";

/**
 * A filter without its time bounds as a condition on a row called `task`; it says the same as `matchesFilter` does in JavaScript.
 * It is null where it compares with an absent queue or worker.
 */
export function matchCondition(dialect: DialectName, filter: ListFilter): RawBuilder<SqlBool> {
  const all: RawBuilder<SqlBool>[] = [];
  if (filter.state !== undefined) all.push(sql`task.state = ${filter.state}`);
  if (filter.priorities !== undefined) all.push(sql`task.priority IN (${sql.join(filter.priorities)})`);
  if (filter.queue !== undefined) all.push(sql`task.queue = ${filter.queue}`);
  if (filter.worker !== undefined) all.push(sql`task.worker_name = ${filter.worker}`);
  if (filter.name !== undefined) all.push(holds(dialect, sql`task.name`, filter.name));
  if (filter.search !== undefined) all.push(foldedHolds(dialect, filter.search));
  if (filter.hasError === true) all.push(sql`(task.exception IS NOT NULL OR task.traceback IS NOT NULL)`);
  for (const term of filter.terms ?? []) all.push(termCondition(dialect, term));
  return all.length === 0 ? sql`${sql.lit(1)} = 1` : sql`${sql.join(all, sql` AND `)}`;
}
