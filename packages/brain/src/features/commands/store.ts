import { chunks } from "../../platform/chunks.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { BrainDatabase, CommandRow, Tables } from "../../schema/tables/index.ts";
import { commandMachine } from "./states.ts";

/**
 * Cancels the commands of an agent or of a project that no agent has been sent yet, and gives them. They are locked by id, so that a
 * project that is archived and an agent of it that is revoked do not wait for each other.
 */
export function cancelPending(
  tx: Tx<Tables>,
  { of, error, now }: { of: { agent_id: string } | { project_id: string }; error: string; now: Date },
): Promise<Pick<CommandRow, "id" | "project_id" | "action" | "status">[]> {
  const move = "agent_id" in of ? "agent_gone" : "project_archived";
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
    .returning(["id", "project_id", "action", "status"])
    .execute();
}

/** Rows of one statement, so that none of them meets the statement timeout. */
const forgottenAtOnce = 20_000;

/** Takes a user who is deleted out of the commands that the user issued. */
export async function forgetIssuer(tx: Tx<Tables>, userId: string): Promise<void> {
  for (let forgotten = forgottenAtOnce; forgotten === forgottenAtOnce; ) {
    const { numUpdatedRows } = await tx
      .updateTable("commands")
      .set({ issued_by: null })
      .where("id", "in", (eb) =>
        eb.selectFrom("commands").select("id").where("issued_by", "=", userId).orderBy("id").limit(forgottenAtOnce),
      )
      .executeTakeFirst();
    forgotten = Number(numUpdatedRows);
  }
}

/** Deletes at most `limit` commands of all projects that ended before `cutoff`, the oldest first, and tells how many. */
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
  // Nothing leads out of a terminal status, so what was selected needs no second look.
  await write(async (tx) => {
    for (const some of chunks(rows, idsPerStatement)) {
      const ids = some.map(({ id }) => id);
      await tx.deleteFrom("commands").where("id", "in", ids).execute();
    }
  });
  return rows.length;
}

const idsPerStatement = 500;
