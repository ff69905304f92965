import type { Tx } from "../../../platform/database/database.ts";
import { affectedRows } from "../../../platform/database/results.ts";
import type { BrainDatabase, Db, LossIntervalRow, LossMarkRow, Tables } from "../../../schema/tables/index.ts";

export const findMarks = (
  tx: Tx<Tables>,
  agentIds: readonly string[],
  scopes: readonly string[],
): Promise<LossMarkRow[]> =>
  tx.selectFrom("loss_marks").selectAll().where("agent_id", "in", agentIds).where("scope", "in", scopes).execute();

export async function upsertMarks(tx: Tx<Tables>, rows: readonly LossMarkRow[]): Promise<void> {
  await tx
    .insertInto("loss_marks")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["agent_id", "scope"]).doUpdateSet((eb) => ({
        counters: eb.ref("excluded.counters"),
        seen_at: eb.ref("excluded.seen_at"),
      })),
    )
    .execute();
}

/** When the agent last reported any counters, or when it was created; undefined for an unknown agent. */
export async function lastReportedAt(tx: Tx<Tables>, agentId: string): Promise<Date | undefined> {
  const row = await tx
    .selectFrom("agents as a")
    .select((eb) => [
      "a.created_at",
      eb
        .selectFrom("loss_marks as m")
        .select((of) => of.fn.max<Date | null>("m.seen_at").as("newest"))
        .whereRef("m.agent_id", "=", "a.id")
        .as("reported_at"),
    ])
    .where("a.id", "=", agentId)
    .executeTakeFirst();
  return row === undefined ? undefined : (row.reported_at ?? row.created_at);
}

export const newestInterval = (tx: Tx<Tables>, agentId: string, reason: string): Promise<LossIntervalRow | undefined> =>
  tx
    .selectFrom("loss_intervals")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("reason", "=", reason)
    .orderBy("to_at", "desc")
    .limit(1)
    .executeTakeFirst();

export async function insertInterval(tx: Tx<Tables>, row: LossIntervalRow): Promise<void> {
  await tx.insertInto("loss_intervals").values(row).execute();
}

export async function extendInterval(
  tx: Tx<Tables>,
  { id, to_at, event_records, other_frames }: LossIntervalRow,
): Promise<void> {
  await tx.updateTable("loss_intervals").set({ to_at, event_records, other_frames }).where("id", "=", id).execute();
}

export interface NamedInterval extends LossIntervalRow {
  readonly agent_name: string;
}

/** Losses of a project that overlap the range, newest first. */
export const lossesWithin = (
  db: Db,
  projectId: string,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<NamedInterval[]> =>
  db
    .selectFrom("loss_intervals as l")
    .innerJoin("agents as a", "a.id", "l.agent_id")
    .selectAll("l")
    .select("a.name as agent_name")
    .where("l.project_id", "=", projectId)
    .where("l.to_at", ">=", from)
    .where("l.from_at", "<", to)
    .orderBy("l.to_at", "desc")
    .orderBy("l.id", "desc")
    .limit(limit)
    .execute();

/** Deletes at most `limit` losses that ended before `cutoff`, oldest first, and returns how many. */
export const deleteLossesBefore = (
  { write }: Pick<BrainDatabase, "write">,
  cutoff: Date,
  limit: number,
): Promise<number> =>
  write((tx) =>
    affectedRows(
      tx
        .deleteFrom("loss_intervals")
        .where("id", "in", (eb) =>
          eb.selectFrom("loss_intervals").select("id").where("to_at", "<", cutoff).orderBy("to_at").limit(limit),
        ),
    ),
  );

/** Deletes counters that were last reported before `cutoff`; there is one row per buffer and runtime. */
export const deleteMarksBefore = ({ write }: Pick<BrainDatabase, "write">, cutoff: Date): Promise<number> =>
  write((tx) => affectedRows(tx.deleteFrom("loss_marks").where("seen_at", "<", cutoff)));
