import type { Tx } from "../../../platform/database/database.ts";
import type { AgentRow, Tables } from "../../../schema/tables/index.ts";

/** Whether the agent is there, unrevoked and of an active project; until the transaction ends nobody revokes or archives it. */
export const holdAgent = async (tx: Tx<Tables>, agentId: string): Promise<boolean> =>
  (await holdAgents(tx, [agentId])).has(agentId);

/** Those of the agents that are there, unrevoked and of an active project, by id; until the transaction ends nobody revokes or archives them. */
export async function holdAgents(
  tx: Tx<Tables>,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<AgentRow, "id" | "last_connect_at">>> {
  const rows = await tx
    .selectFrom("agents as a")
    .innerJoin("projects as p", "p.id", "a.project_id")
    .select(["a.id", "a.last_connect_at"])
    .where("a.id", "in", agentIds)
    .where("a.revoked_at", "is", null)
    .where("p.is_active", "=", true)
    .orderBy("a.id")
    // Heartbeats go on meanwhile: a revocation changes the name, which is part of a key, and archiving takes the whole row.
    .forKeyShare()
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
