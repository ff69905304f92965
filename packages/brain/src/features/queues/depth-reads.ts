import { sql } from "kysely";
import { maxLabelChars, maxValuesPerProject, overflowLabel } from "../../platform/metrics.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";

export interface LabelledDepth {
  readonly project: string;
  readonly engine: string;
  /** The name, cut to the length of a label, or `__overflow__` for the sum of the queues beyond the limit. */
  readonly queue: string;
  readonly depth: number;
}

/** Maximum series per scrape, for all projects together. */
const maxSeries = 20_000;

/**
 * Depths for metrics: queues of active projects reported since `since`. The oldest queues of a project keep their names, at most a thousand,
 * or fewer when all projects together have too many. The rest is summed.
 */
export async function labelledDepths(
  db: BrainDatabase,
  since: Date,
  limits: { perProject?: number; inAll?: number } = {},
): Promise<LabelledDepth[]> {
  const { perProject = maxValuesPerProject, inAll = maxSeries } = limits;
  const sizes = await db.slow
    .selectFrom("queues")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("depth_reported_at", ">=", since)
    .groupBy("project_id")
    .execute();
  const named = fairLimit(
    sizes.map(({ count }) => Number(count)),
    { each: perProject, inAll },
  );
  const { rows } = await sql<{ project: string; engine: string; queue: string; depth: number }>`
    SELECT project, engine, CASE WHEN place <= ${named} THEN substr(name, 1, ${maxLabelChars}) ELSE ${overflowLabel} END AS queue,
      sum(pending_count) AS depth
    FROM (
      SELECT p.slug AS project, q.engine, q.name, q.pending_count,
        row_number() OVER (PARTITION BY q.project_id ORDER BY q.created_at, q.id) AS place
      FROM queues AS q JOIN projects AS p ON p.id = q.project_id
      WHERE p.is_active = ${true} AND q.depth_reported_at >= ${since}
    ) AS placed
    GROUP BY 1, 2, 3
    ORDER BY 1, 2, 3`.execute(db.slow);
  return rows.map((row) => ({ ...row, depth: Number(row.depth) }));
}

/** The highest limit per part, at most `each`, with which all parts together stay within `inAll`. */
function fairLimit(sizes: readonly number[], { each, inAll }: { each: number; inAll: number }): number {
  let fits = 0;
  let tooMany = each + 1;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    const total = sizes.reduce((sum, size) => sum + Math.min(size, middle), 0);
    if (total <= inAll) fits = middle;
    else tooMany = middle;
  }
  return fits;
}
