import { expressionBuilder, sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { isAmong, valuesRows } from "../../../platform/database/dialects/expressions/values-table.ts";
import { changesOne } from "../../../platform/database/results.ts";
import type { Db, ScheduleFireRow, Tables } from "../../../schema/tables/index.ts";
import { type FireMove, fireMachine } from "../states.ts";
import { type FireAddress, isAt } from "./fire-address.ts";

/** The addresses of those fires that exist. */
export const addressesOf = (db: Db, fireIds: readonly string[]): Promise<FireAddress[]> =>
  db
    .selectFrom("schedule_fire_ids")
    .select(["fire_id", "schedule_id", "fired_at"])
    .where(isAmong("fire_id", "uuid", fireIds))
    .execute();

/** A fire, locked until the end of the transaction. */
export async function lockFire(tx: Tx<Tables>, fireId: string): Promise<ScheduleFireRow | undefined> {
  const addresses = await addressesOf(tx, [fireId]);
  if (addresses.length === 0) return undefined;
  return tx.selectFrom("schedule_fires").selectAll().where(isAt(addresses)).forUpdate().executeTakeFirst();
}

export type FireChange = Partial<
  Pick<
    ScheduleFireRow,
    "command_id" | "dispatched_at" | "acked_at" | "latency_ms" | "error_code" | "error_message" | "task_id"
  >
>;

/** Makes a move of fires that may make it, with the same change of each. */
export async function moveFires(
  tx: Tx<Tables>,
  fireIds: readonly string[],
  { move, ...change }: FireChange & { readonly move: FireMove },
): Promise<void> {
  if (fireIds.length === 0) return;
  const addresses = await addressesOf(tx, fireIds);
  if (addresses.length === 0) return;
  await tx
    .updateTable("schedule_fires")
    .set({ status: fireMachine.to(move), ...change })
    .where(isAt(addresses))
    .where("status", "in", fireMachine.from(move))
    .execute();
}

/** Moves waiting fires to delivered, each with its command: command ids by fire id. */
export async function deliverFires(tx: Tx<Tables>, commandIds: ReadonlyMap<string, string>): Promise<void> {
  const addresses = await addressesOf(tx, [...commandIds.keys()]);
  if (addresses.length === 0) return;
  const given = valuesRows(["uuid", "uuid"], [...commandIds]);
  const of = expressionBuilder<Tables, "schedule_fires">();
  await sql`UPDATE schedule_fires SET status = ${fireMachine.to("replay")}, command_id = given.column2
    FROM (${given}) AS given WHERE schedule_fires.fire_id = given.column1
      AND ${isAt(addresses)(of)} AND ${of("status", "in", fireMachine.from("replay"))}`.execute(tx);
}

/** Makes a move of a locked fire. Whether the fire might make it. */
export const moveLockedFire = (
  tx: Tx<Tables>,
  fire: ScheduleFireRow,
  { move, ...change }: FireChange & { readonly move: FireMove },
): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("schedule_fires")
      .set({ status: fireMachine.to(move), ...change })
      .where("project_id", "=", fire.project_id)
      .where("fired_at", "=", fire.fired_at)
      .where("id", "=", fire.id)
      .where("status", "in", fireMachine.from(move)),
  );

/** Takes fires out of the buffer. */
export async function deletePendingFires(tx: Tx<Tables>, fireIds: readonly string[]): Promise<void> {
  if (fireIds.length > 0)
    await tx
      .deleteFrom("pending_fires")
      .where(isAmong("fire_id", "uuid", fireIds))
      .execute();
}
