import type { Database } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import type { ListFilter } from "../query/query.ts";
import { findMatches, scopeOf } from "./find-matches.ts";
import { idStep } from "./match-reads.ts";

const stepRows = 20_000;

/** Ids of the first `limit` matching tasks in UUID order. */
export async function matchingIds(
  db: Database<Tables>,
  projectId: string,
  filter: ListFilter,
  limit: number,
): Promise<string[]> {
  const { found } = await findMatches(db, {
    projectId,
    filter,
    after: null,
    limit: limit + 1,
    budgetMs: Number.POSITIVE_INFINITY,
  });
  if (found.length <= limit) return found.map(({ id }) => id).sort();
  // There are more: ids are spread evenly, so the first ones are met soon when the tasks are read in their order.
  const ids: string[] = [];
  let afterId: string | null = null;
  do {
    const step = await idStep(db.slow, db.dialect, {
      scope: scopeOf(projectId, filter, null),
      filter,
      afterId,
      rows: stepRows,
    });
    ids.push(...step.ids);
    afterId = step.end;
  } while (afterId !== null && ids.length < limit);
  return ids.slice(0, limit);
}
