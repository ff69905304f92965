import { sql } from "kysely";
import {
  jsonArrayHas,
  jsonMembers,
  jsonObjectHas,
} from "../../../platform/database/dialects/expressions/json-columns.ts";
import { findsRow } from "../../../platform/database/results.ts";
import type { AgentRow, Db } from "../../../schema/tables/index.ts";
import type { Capabilities } from "./verdict.ts";

/** An agent with what its sessions reported. */
export interface AgentWithSessions
  extends Pick<AgentRow, "id" | "name" | "transport" | "last_seen_at" | "last_connect_at"> {
  readonly sessions: readonly Capabilities[];
}

/** Maximum number of sessions that a list reads. */
const maxSessions = 500;

/** Unrevoked agents: one row per WebSocket session in any process of the service, and one row for an agent without a session. */
const agentSessions = (db: Db) =>
  db
    .selectFrom("agents as a")
    .leftJoin("agent_workers as w", (join) =>
      join.onRef("w.agent_id", "=", "a.id").on("w.state", "=", "online").on("a.state", "=", "online"),
    )
    .where("a.revoked_at", "is", null);

const factColumns = ["a.id", "a.name", "a.transport", "a.last_seen_at", "a.last_connect_at"] as const;

/** The unrevoked agents of the project among these, in no particular order; without sessions while they are offline or poll. */
export async function findAgentsWithSessions(
  db: Db,
  projectId: string,
  agentIds: readonly string[],
): Promise<AgentWithSessions[]> {
  if (agentIds.length === 0) return [];
  const rows = await agentSessions(db)
    .select([...factColumns, "w.capabilities"])
    .where("a.project_id", "=", projectId)
    .where("a.id", "in", agentIds)
    .execute();
  return agentsOf(rows);
}

/** An unrevoked agent of the project. */
export const findAgent = async (db: Db, projectId: string, agentId: string): Promise<AgentWithSessions | null> =>
  (await findAgentsWithSessions(db, projectId, [agentId]))[0] ?? null;

/**
 * Agents of the project with a WebSocket session that names the engine, most recently seen first. A large project can have more than
 * are listed; use `findAgent` to check for one agent.
 */
export async function agentsOnlineWith(
  db: Db,
  { projectId, engine }: { projectId: string; engine: string },
): Promise<AgentWithSessions[]> {
  const rows = await agentSessions(db)
    .select([...factColumns, "w.capabilities"])
    .where("a.project_id", "=", projectId)
    .where("w.state", "=", "online")
    .where(jsonObjectHas("w.capabilities", engine))
    .orderBy("a.last_seen_at", "desc")
    .orderBy("a.id")
    .limit(maxSessions)
    .execute();
  return agentsOf(rows);
}

/** Whether the project has an agent with a WebSocket session at all. */
export const isAnyOnline = (db: Db, projectId: string): Promise<boolean> =>
  findsRow(
    agentSessions(db).select("a.id").where("a.project_id", "=", projectId).where("w.state", "=", "online").limit(1),
  );

export interface OnlineQuery {
  /** An agent without a WebSocket session is online while it was seen after this. */
  readonly since: Date;
  /** All projects when absent. */
  readonly projectId?: string;
  /** All agents when absent. */
  readonly agentIds?: readonly string[];
}

/** Sessions of the online agents of active projects; a polling agent counts as one session with the capabilities of its last hello. */
const online = (db: Db, { since, projectId, agentIds }: OnlineQuery) =>
  agentSessions(db)
    .innerJoin("projects as p", "p.id", "a.project_id")
    .select([...factColumns, "a.project_id", "a.engine_adapters"])
    .select((eb) => eb.fn.coalesce("w.capabilities", "a.capabilities").as("capabilities"))
    .where("p.is_active", "=", true)
    .where("a.state", "=", "online")
    .where((eb) => eb.or([eb("w.id", "is not", null), eb("a.last_seen_at", ">=", since)]))
    .$if(projectId !== undefined, (query) => query.where("a.project_id", "=", projectId as string))
    .$if(agentIds !== undefined, (query) => query.where("a.id", "in", agentIds as string[]));

/** The online ones among the agents, in no particular order. */
export const onlineAmong = async (
  db: Db,
  query: OnlineQuery & { readonly projectId: string; readonly agentIds: readonly string[] },
): Promise<AgentWithSessions[]> => (query.agentIds.length === 0 ? [] : agentsOf(await online(db, query).execute()));

/** The agent to which a request for an engine's adapter is sent. */
export interface AgentForEngine {
  readonly project_id: string;
  readonly engine: string;
  readonly agent_id: string;
}

export interface AgentForEngineQuery extends Omit<OnlineQuery, "agentIds"> {
  /** Capability token. */
  readonly token: string;
  /** All engines when absent. */
  readonly engine?: string;
  readonly limit: number;
}

/**
 * Per project and engine, the online agent that was seen last and advertises the token for the engine. The database compares the
 * tokens, because there may be thousands of agents; it does not check retry contracts.
 */
export async function agentsSeenLast(db: Db, query: AgentForEngineQuery): Promise<AgentForEngine[]> {
  const { token, engine, limit } = query;
  const isAsked = engine === undefined ? sql`TRUE` : sql`e.key = ${engine}`;
  const { rows } = await sql<AgentForEngine>`
    SELECT project_id, engine, agent_id FROM (
      SELECT o.project_id, e.key AS engine, o.id AS agent_id,
             row_number() OVER (PARTITION BY o.project_id, e.key ORDER BY o.last_seen_at DESC, o.id) AS place
      FROM ${online(db, query)} AS o, ${jsonMembers("o.capabilities")} AS e
      WHERE ${isAsked} AND ${jsonArrayHas("e.value", token)}
    ) AS ranked
    WHERE place = 1 ORDER BY project_id, engine LIMIT ${limit}`.execute(db);
  return rows;
}

/** Capabilities that an online agent reports. */
export interface AdvertisedCapabilities {
  readonly agent_id: string;
  readonly name: string;
  readonly engines: string[];
  /** Tokens by engine, of all its sessions. */
  readonly capabilities: Record<string, string[]>;
}

/** The online agents of a project, most recently seen first. */
export async function advertisedCapabilities(
  db: Db,
  { limit, ...query }: OnlineQuery & { readonly limit: number },
): Promise<AdvertisedCapabilities[]> {
  const rows = await online(db, query).orderBy("a.last_seen_at", "desc").orderBy("a.id").limit(maxSessions).execute();
  return agentsOf(rows)
    .slice(0, limit)
    .map(({ id, name, engine_adapters, sessions }) => {
      const tokens = new Map<string, Set<string>>();
      for (const [engine, listed] of sessions.flatMap((session) => Object.entries(session))) {
        tokens.set(engine, new Set([...(tokens.get(engine) ?? []), ...listed]));
      }
      return {
        agent_id: id,
        name,
        engines: JSON.parse(engine_adapters) as string[],
        capabilities: Object.fromEntries([...tokens].map(([engine, set]) => [engine, [...set]])),
      };
    });
}

/** The agents of rows with one session each, in the order of the rows. */
const agentsOf = <Row extends { readonly id: string; readonly capabilities: string | null }>(rows: readonly Row[]) =>
  [...Map.groupBy(rows, ({ id }) => id).values()].map((group) => {
    const { capabilities: _first, ...agent } = group[0] as Row;
    const sessions = group.flatMap(({ capabilities }) =>
      capabilities === null ? [] : [JSON.parse(capabilities) as Capabilities],
    );
    return { ...agent, sessions };
  });
