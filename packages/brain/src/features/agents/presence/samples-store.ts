import type { Tx } from "../../../platform/database/database.ts";
import { affectedRows } from "../../../platform/database/results.ts";
import type { AgentStatusRow, BrainDatabase, Tables } from "../../../schema/tables/index.ts";

/** At most `limit` agents, including revoked ones, with a status sample older than `cutoff`; one index lookup each. */
export async function agentsWithSamplesBefore(
  { slow }: Pick<BrainDatabase, "slow">,
  cutoff: Date,
  limit: number,
): Promise<string[]> {
  const rows = await slow
    .selectFrom("agents as a")
    .select("a.id")
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("agent_status_history as s")
          .select("s.id")
          .whereRef("s.agent_id", "=", "a.id")
          .where("s.captured_at", "<", cutoff),
      ),
    )
    .orderBy("a.id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes at most `limit` samples of one agent that are older than `cutoff`, oldest first, and returns how many. */
export const deleteSamplesBefore = (
  { write }: Pick<BrainDatabase, "write">,
  agentId: string,
  cutoff: Date,
  limit: number,
): Promise<number> =>
  write((tx) =>
    affectedRows(
      tx
        .deleteFrom("agent_status_history")
        .where("id", "in", (eb) =>
          eb
            .selectFrom("agent_status_history")
            .select("id")
            .where("agent_id", "=", agentId)
            .where("captured_at", "<", cutoff)
            .orderBy("captured_at")
            .limit(limit),
        ),
    ),
  );

export async function insertSamples(tx: Tx<Tables>, rows: readonly Omit<AgentStatusRow, "id">[]): Promise<void> {
  // The database assigns the id; the row type has it because reads need it.
  await tx
    .insertInto("agent_status_history")
    .values(rows as AgentStatusRow[])
    .execute();
}

/** Deletes all but the newest `keep` samples of an agent. */
export async function trimSamples(tx: Tx<Tables>, agentId: string, keep: number): Promise<void> {
  await tx
    .deleteFrom("agent_status_history")
    .where("agent_id", "=", agentId)
    .where("id", "in", (eb) =>
      eb
        .selectFrom("agent_status_history")
        .select("id")
        .where("agent_id", "=", agentId)
        .orderBy("captured_at", "desc")
        .orderBy("id", "desc")
        .limit(1_000_000)
        .offset(keep),
    )
    .execute();
}
