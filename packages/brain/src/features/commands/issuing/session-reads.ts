import type { Tx } from "../../../platform/database/database.ts";
import { jsonObjectHas } from "../../../platform/database/dialects/expressions/json-columns.ts";
import type { AgentRow, Db, Tables } from "../../../schema/tables/index.ts";
import type { Abilities } from "../delivery/contract.ts";

export interface AgentFacts extends Pick<AgentRow, "id" | "name" | "transport" | "last_seen_at" | "last_connect_at"> {
  /** Of each WebSocket session that it has now, in any process of the service; empty while it is offline. */
  readonly sessions: readonly Abilities[];
}

/** An unrevoked agent of the project. */
export const findAgent = async (db: Db, projectId: string, agentId: string): Promise<AgentFacts | null> =>
  (await findAgents(db, projectId, [agentId]))[0] ?? null;

/** Those of the agents that are unrevoked and of the project, in no promised order. */
export async function findAgents(db: Db, projectId: string, agentIds: readonly string[]): Promise<AgentFacts[]> {
  if (agentIds.length === 0) return [];
  const rows = await db
    .selectFrom("agents as a")
    .leftJoin("agent_workers as w", (join) =>
      join.onRef("w.agent_id", "=", "a.id").on("w.state", "=", "online").on("a.state", "=", "online"),
    )
    .select(["a.id", "a.name", "a.transport", "a.last_seen_at", "a.last_connect_at", "w.capabilities"])
    .where("a.project_id", "=", projectId)
    .where("a.id", "in", agentIds)
    .where("a.revoked_at", "is", null)
    .execute();
  return agentsOf(rows);
}

/** More sessions than this of one engine are not looked at. */
const maxSessions = 500;

/**
 * Unrevoked agents of the project with a WebSocket session that names the engine, those seen last first. In a large project not all of them:
 * whether a certain agent is there is asked by `findAgent`.
 */
export async function agentsOnlineWith(
  db: Db,
  { projectId, engine }: { projectId: string; engine: string },
): Promise<AgentFacts[]> {
  const rows = await db
    .selectFrom("agents as a")
    .innerJoin("agent_workers as w", "w.agent_id", "a.id")
    .select(["a.id", "a.name", "a.transport", "a.last_seen_at", "a.last_connect_at", "w.capabilities"])
    .where("a.project_id", "=", projectId)
    .where("a.revoked_at", "is", null)
    .where("a.state", "=", "online")
    .where("w.state", "=", "online")
    .where(jsonObjectHas("w.capabilities", engine))
    .orderBy("a.last_seen_at", "desc")
    .orderBy("a.id")
    .limit(maxSessions)
    .execute();
  return agentsOf(rows);
}

/** Whether the project has an agent with a WebSocket session at all. */
export async function isAnyOnline(db: Db, projectId: string): Promise<boolean> {
  const row = await db
    .selectFrom("agents as a")
    .innerJoin("agent_workers as w", "w.agent_id", "a.id")
    .select("a.id")
    .where("a.project_id", "=", projectId)
    .where("a.revoked_at", "is", null)
    .where("a.state", "=", "online")
    .where("w.state", "=", "online")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type AgentSession = Omit<AgentFacts, "sessions"> & { readonly capabilities: string | null };

function agentsOf(rows: readonly AgentSession[]): AgentFacts[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((group) => {
    const { capabilities: _first, ...agent } = group[0] as AgentSession;
    const sessions = group.flatMap(({ capabilities }) =>
      capabilities === null ? [] : [JSON.parse(capabilities) as Abilities],
    );
    return { ...agent, sessions };
  });
}

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
