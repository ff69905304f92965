import { sql } from "kysely";
import { jsonArrayHas, jsonMembers } from "../../../platform/database/dialects/expressions/json-columns.ts";
import type { Db } from "../../../schema/tables/index.ts";

/** The agent to ask for something that an engine's adapter must be able to do. */
export interface AbleAgent {
  readonly project_id: string;
  readonly engine: string;
  readonly agent_id: string;
}

export interface Ability {
  /** Capability token. */
  readonly token: string;
  /** An agent without a WebSocket session counts while it was seen after this. */
  readonly since: Date;
  /** All projects when absent. */
  readonly projectId?: string;
  /** All engines when absent. */
  readonly engine?: string;
  readonly limit: number;
}

/**
 * One row for each WebSocket session of an online agent of an active project, with what its hello told; an agent that polls has one row with what its last hello
 * told, as long as its last upload was lately.
 */
const online = (db: Db, { since, projectId }: Pick<Ability, "since" | "projectId">) =>
  db
    .selectFrom("agents as a")
    .innerJoin("projects as p", "p.id", "a.project_id")
    .leftJoin("agent_workers as w", (join) => join.onRef("w.agent_id", "=", "a.id").on("w.state", "=", "online"))
    .select((eb) => [
      "a.id",
      "a.project_id",
      "a.name",
      "a.engine_adapters",
      "a.last_seen_at",
      eb.fn.coalesce("w.capabilities", "a.capabilities").as("capabilities"),
    ])
    .where("p.is_active", "=", true)
    .where("a.revoked_at", "is", null)
    .where("a.state", "=", "online")
    .where((eb) => eb.or([eb("w.id", "is not", null), eb("a.last_seen_at", ">=", since)]))
    .$if(projectId !== undefined, (query) => query.where("a.project_id", "=", projectId as string));

/** The engines of a row of `online` as `e`. */
const engines = sql`${jsonMembers("o.capabilities")} AS e`;

/** By project and engine the online agent that was seen last of those that advertise the token for the engine. */
export async function ableAgents(db: Db, ability: Ability): Promise<AbleAgent[]> {
  const { token, engine, limit } = ability;
  const isAsked = engine === undefined ? sql`TRUE` : sql`e.key = ${engine}`;
  const { rows } = await sql<AbleAgent>`
    SELECT project_id, engine, agent_id FROM (
      SELECT o.project_id, e.key AS engine, o.id AS agent_id,
             row_number() OVER (PARTITION BY o.project_id, e.key ORDER BY o.last_seen_at DESC, o.id) AS place
      FROM ${online(db, ability)} AS o, ${engines}
      WHERE ${isAsked} AND ${jsonArrayHas("e.value", token)}
    ) AS ranked
    WHERE place = 1 ORDER BY project_id, engine LIMIT ${limit}`.execute(db);
  return rows;
}

/** Those of the agents that are online and advertise the token, once for each engine for which they do. */
export async function ableAmong(
  db: Db,
  { token, since, projectId, agentIds }: Pick<Ability, "token" | "since"> & { projectId: string; agentIds: string[] },
): Promise<Pick<AbleAgent, "agent_id" | "engine">[]> {
  const among = online(db, { since, projectId }).where("a.id", "in", agentIds);
  const { rows } = await sql<Pick<AbleAgent, "agent_id" | "engine">>`
    SELECT DISTINCT o.id AS agent_id, e.key AS engine FROM ${among} AS o, ${engines} WHERE ${jsonArrayHas("e.value", token)}`.execute(
    db,
  );
  return rows;
}

/** What an online agent says it can do. */
export interface AdvertisedAbilities {
  readonly agent_id: string;
  readonly name: string;
  readonly engines: string[];
  /** Tokens by engine, of all its sessions. */
  readonly capabilities: Record<string, string[]>;
}

/** More sessions than this are not looked at. */
const maxSessions = 500;

/** The online agents of a project, or that one of them, those seen last first. */
export async function advertisedAbilities(
  db: Db,
  { projectId, agentId, since, limit }: { projectId: string; agentId?: string; since: Date; limit: number },
): Promise<AdvertisedAbilities[]> {
  const rows = await online(db, { projectId, since })
    .$if(agentId !== undefined, (query) => query.where("a.id", "=", agentId as string))
    .orderBy("a.last_seen_at", "desc")
    .orderBy("a.id")
    .limit(maxSessions)
    .execute();
  return [...Map.groupBy(rows, ({ id }) => id).values()].slice(0, limit).map((sessions) => {
    const { id, name, engine_adapters } = sessions[0] as (typeof rows)[number];
    const capabilities = new Map<string, Set<string>>();
    for (const session of sessions) {
      for (const [engine, tokens] of Object.entries(JSON.parse(session.capabilities) as Record<string, string[]>)) {
        capabilities.set(engine, new Set([...(capabilities.get(engine) ?? []), ...tokens]));
      }
    }
    return {
      agent_id: id,
      name,
      engines: JSON.parse(engine_adapters) as string[],
      capabilities: Object.fromEntries([...capabilities].map(([engine, tokens]) => [engine, [...tokens]])),
    };
  });
}
