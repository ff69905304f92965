import type { BrainDatabase } from "../../schema/tables/index.ts";

/** Engine workers online now by slug, for at most `limit` active projects that have any worker; none online is 0. */
export async function workersOnline(
  { slow }: Pick<BrainDatabase, "slow">,
  limit: number,
): Promise<{ slug: string; count: number }[]> {
  const rows = await slow
    .selectFrom("workers as w")
    .innerJoin("projects as p", "p.id", "w.project_id")
    .select(["p.slug", (eb) => eb.fn.countAll<number>().filterWhere("w.state", "=", "online").as("count")])
    .where("p.is_active", "=", true)
    .groupBy("p.slug")
    .orderBy("p.slug")
    .limit(limit)
    .execute();
  return rows.map(({ slug, count }) => ({ slug, count: Number(count) }));
}
