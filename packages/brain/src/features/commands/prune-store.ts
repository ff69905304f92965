import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { type CommandStatus, commandMoves, commandStatuses } from "./states.ts";

/** Statuses that no move leaves. */
const terminal: readonly CommandStatus[] = commandStatuses.filter(
  (status) => Object.keys(commandMoves[status]).length === 0,
);

/** Deletes at most `limit` commands of all projects that ended before `cutoff`, the oldest first, and tells how many. */
export async function deleteEndedBefore(
  { slow, write }: Pick<Database<Tables>, "slow" | "write">,
  cutoff: Date,
  limit: number,
): Promise<number> {
  const rows = await slow
    .selectFrom("commands")
    .select("id")
    .where("issued_at", "<", cutoff)
    .where("status", "in", terminal)
    .where((eb) => eb.or([eb("completed_at", "is", null), eb("completed_at", "<", cutoff)]))
    .orderBy("issued_at")
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  // Nothing leads out of a terminal status, so what was selected needs no second look.
  await write(async (tx) => {
    for (let start = 0; start < rows.length; start += idsPerStatement) {
      const ids = rows.slice(start, start + idsPerStatement).map(({ id }) => id);
      await tx.deleteFrom("commands").where("id", "in", ids).execute();
    }
  });
  return rows.length;
}

const idsPerStatement = 500;
