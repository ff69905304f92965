import { type RawBuilder, type SqlBool, sql } from "kysely";
import { affectedRows } from "../../platform/database/results.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";

/** Rows of all projects by when they were last named. Only rows that meet the condition are deleted. */
export function unseenRows(
  table: "queues" | "workers",
  seenColumn: "last_seen_at" | "last_heartbeat",
  condition: RawBuilder<SqlBool> = sql`true`,
) {
  const seenAt = sql<Date>`coalesce(${sql.ref(seenColumn)}, updated_at)`;

  return {
    /**
     * Deletes at most `limit` rows that were not named since `cutoff`; returns how many. Rows are locked in the order in which notes are
     * written, and a row that is named in the meantime stays.
     */
    remove({ write }: Pick<BrainDatabase, "write">, cutoff: Date, limit: number): Promise<number> {
      return write(
        (tx) => {
          const unseen = tx
            .selectFrom(table)
            .select("id")
            .where(seenAt, "<", cutoff)
            .where(condition)
            .orderBy("project_id")
            .orderBy("engine")
            .orderBy("name")
            .limit(limit);
          return affectedRows(
            tx
              .with("unseen", () => unseen.forUpdate())
              .deleteFrom(table)
              .where("id", "in", (eb) => eb.selectFrom("unseen").select("unseen.id")),
          );
        },
        { alone: true },
      );
    },
    /** The newest time at which any row was named; null without rows. */
    async newest({ slow }: Pick<BrainDatabase, "slow">): Promise<Date | null> {
      const row = await slow
        .selectFrom(table)
        .select(sql<Date | null>`max(${seenAt})`.as("newest_at"))
        .executeTakeFirst();
      return row?.newest_at ?? null;
    },
  };
}

export const unseenQueues = unseenRows("queues", "last_seen_at");
