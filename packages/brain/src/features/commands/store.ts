import { chunks } from "../../platform/chunks.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { BrainDatabase, CommandRow, Tables } from "../../schema/tables/index.ts";
import { commandMachine } from "./states.ts";

/**
 * Cancels the unsent commands of an agent or a project; returns them. They are locked in order of id, so that archiving a project and revoking
 * one of its agents do not deadlock.
 */
export function cancelPending(
  tx: Tx<Tables>,
  { of, error, now }: { of: { agent_id: string } | { project_id: string }; error: string; now: Date },
): Promise<Pick<CommandRow, "id" | "project_id" | "action" | "status" | "idempotency_key">[]> {
  const move = "agent_id" in of ? "agent_revoked" : "project_archived";
  const from = commandMachine.from(move);
  const pending = tx
    .selectFrom("commands")
    .select("id")
    .where((eb) => eb.and(of))
    .where("status", "in", from)
    .orderBy("id");
  return tx
    .with("pending", () => pending.forUpdate())
    .updateTable("commands")
    .set({ status: commandMachine.to(move), completed_at: now, error })
    .where("id", "in", (eb) => eb.selectFrom("pending").select("pending.id"))
    .where("status", "in", from)
    .returning(["id", "project_id", "action", "status", "idempotency_key"])
    .execute();
}

/** Rows per statement, to stay below the statement timeout. */
const forgottenPerStatement = 20_000;

/** Removes a deleted user from the commands that the user issued. */
export async function forgetIssuer(tx: Tx<Tables>, userId: string): Promise<void> {
  for (let forgotten = forgottenPerStatement; forgotten === forgottenPerStatement; ) {
    const { numUpdatedRows } = await tx
      .updateTable("commands")
      .set({ issued_by: null })
      .where("id", "in", (eb) =>
        eb
          .selectFrom("commands")
          .select("id")
          .where("issued_by", "=", userId)
          .orderBy("id")
          .limit(forgottenPerStatement),
      )
      .executeTakeFirst();
    forgotten = Number(numUpdatedRows);
  }
}

/** Deletes at most `limit` commands of all projects that ended before `cutoff`, oldest first; returns how many. */
export async function deleteCommandsEndedBefore(
  { slow, write }: Pick<BrainDatabase, "slow" | "write">,
  cutoff: Date,
  limit: number,
): Promise<number> {
  const rows = await slow
    .selectFrom("commands")
    .select("id")
    .where("issued_at", "<", cutoff)
    .where("status", "in", commandMachine.final)
    .where((eb) => eb.or([eb("completed_at", "is", null), eb("completed_at", "<", cutoff)]))
    .orderBy("issued_at")
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  // Terminal statuses never change, so the selected rows need no second check.
  await write(async (tx) => {
    for (const some of chunks(rows, idsPerStatement)) {
      const ids = some.map(({ id }) => id);
      await tx.deleteFrom("commands").where("id", "in", ids).execute();
    }
  });
  return rows.length;
}

const idsPerStatement = 500;
