import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import type { AgentRow, BrainDatabase, CommandRow, CommandTaskRow, Tables } from "../../../schema/tables/index.ts";

/** Inserts commands; returns the ids of those whose idempotency key was new in the project. */
export async function insertCommands(tx: Tx<Tables>, rows: readonly CommandRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const inserted = await tx
    .insertInto("commands")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["project_id", "idempotency_key"]).doNothing())
    .returning("id")
    .execute();
  return new Set(inserted.map(({ id }) => id));
}

/** Rows per statement, within the parameter limits of the databases. */
const linksPerStatement = 1_000;

/** Records which tasks commands act on. Each pair must be given only once. */
export async function insertCommandTasks(tx: Tx<Tables>, rows: readonly CommandTaskRow[]): Promise<void> {
  for (const some of chunks(rows, linksPerStatement)) await tx.insertInto("command_tasks").values(some).execute();
}

/** The project's command with this idempotency key. */
export const findCommandByKey = (
  db: BrainDatabase["read"] | Tx<Tables>,
  projectId: string,
  idempotencyKey: string,
): Promise<CommandRow | undefined> =>
  db
    .selectFrom("commands")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("idempotency_key", "=", idempotencyKey)
    .executeTakeFirst();

/** The agents that are unrevoked and in an active project, by id. They cannot be revoked or archived until the transaction ends. */
export async function holdAgents(
  tx: Tx<Tables>,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<AgentRow, "id" | "last_connect_at">>> {
  if (agentIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom("agents as a")
    .innerJoin("projects as p", "p.id", "a.project_id")
    .select(["a.id", "a.last_connect_at"])
    .where("a.id", "in", agentIds)
    .where("a.revoked_at", "is", null)
    .where("p.is_active", "=", true)
    .orderBy("a.id")
    // Heartbeats are not blocked. Revoking changes the name, which is part of a key, and archiving locks the whole row.
    .forKeyShare()
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
