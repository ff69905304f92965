import { sql } from "kysely";
import { chunks } from "../../platform/chunks.ts";
import type { AgentRow, AgentStatusRow, AgentWorkerRow, Db } from "../../schema/tables/index.ts";

/** The agent that a token belongs to. */
export interface AgentIdentity {
  readonly agent_id: string;
  readonly project_id: string;
  readonly name: string;
  readonly project_is_active: boolean;
}

/** Maximum number of agents listed per project; far above any fleet that a project is meant for. */
const maxListed = 5000;

export const publicColumns = [
  "id",
  "project_id",
  "name",
  "state",
  "transport",
  "protocol_version",
  "agent_version",
  "framework_adapter",
  "host_name",
  "engine_adapters",
  "scheduler_adapters",
  "capabilities",
  "metadata",
  "last_seen_at",
  "last_connect_at",
  "created_at",
] as const;
export type ListedAgent = Pick<AgentRow, (typeof publicColumns)[number]>;

/** Unrevoked agents of a project by name. */
export const listAgents = (db: Db, projectId: string): Promise<ListedAgent[]> =>
  db
    .selectFrom("agents")
    .select(publicColumns)
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null)
    .orderBy("name")
    .limit(maxListed)
    .execute();

/** Unrevoked agents of all active projects with their last contact; `last_sample_at` is by the agent's own clock. */
export const listContacts = (db: Db, limit: number) =>
  db
    .selectFrom("agents as a")
    .innerJoin("projects as p", "p.id", "a.project_id")
    .select(["p.slug", "a.name", "a.agent_version", "a.last_seen_at"])
    .select((eb) =>
      eb
        .selectFrom("agent_status_history as s")
        .select("s.captured_at")
        .whereRef("s.agent_id", "=", "a.id")
        .orderBy("s.captured_at", "desc")
        .limit(1)
        .as("last_sample_at"),
    )
    .where("a.revoked_at", "is", null)
    .where("p.is_active", "=", true)
    .orderBy("p.slug")
    .orderBy("a.name")
    .limit(limit)
    .execute();
export type AgentContact = Awaited<ReturnType<typeof listContacts>>[number];

/** Unrevoked agents among these ids. */
export const findAgents = async (db: Db, projectId: string, ids: readonly string[]): Promise<ListedAgent[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom("agents")
        .select(publicColumns)
        .where("project_id", "=", projectId)
        .where("id", "in", ids)
        .where("revoked_at", "is", null)
        .execute();

/** The unrevoked agents with these token digests, by digest. */
export async function findByTokenHashes(db: Db, digests: readonly string[]): Promise<Map<string, AgentIdentity>> {
  const rows = await db
    .selectFrom("agents as a")
    .innerJoin("projects as p", "p.id", "a.project_id")
    .select(["a.token_hash", "a.id as agent_id", "a.project_id", "a.name", "p.is_active"])
    .where("a.token_hash", "in", digests)
    .where("a.revoked_at", "is", null)
    .execute();
  // Not aliased in the query: the column name decides that its value is converted to a boolean.
  return new Map(
    rows.map(({ token_hash, is_active, ...agent }) => [token_hash, { ...agent, project_is_active: is_active }]),
  );
}

export async function findAdmission(db: Db, agentId: string) {
  const row = await db
    .selectFrom("agents as a")
    .innerJoin("projects as p", "p.id", "a.project_id")
    .select(["a.revoked_at", "p.is_active"])
    .where("a.id", "=", agentId)
    .executeTakeFirst();
  return row && { revoked_at: row.revoked_at, project_is_active: row.is_active };
}

const idsPerStatement = 500;

/** The agents among these that are unrevoked and whose project is active. */
export async function admittedAmong(db: Db, agentIds: readonly string[]): Promise<Set<string>> {
  const admitted = new Set<string>();
  for (const some of chunks(agentIds, idsPerStatement)) {
    const rows = await db
      .selectFrom("agents as a")
      .innerJoin("projects as p", "p.id", "a.project_id")
      .select("a.id")
      .where("a.id", "in", some)
      .where("a.revoked_at", "is", null)
      .where("p.is_active", "=", true)
      .execute();
    for (const { id } of rows) admitted.add(id);
  }
  return admitted;
}

/** The newest samples of an agent, newest first. */
export const listSamples = (
  db: Db,
  agentId: string,
  limit: number,
): Promise<Pick<AgentStatusRow, "id" | "captured_at" | "payload">[]> =>
  db
    .selectFrom("agent_status_history")
    .select(["id", "captured_at", "payload"])
    .where("agent_id", "=", agentId)
    .orderBy("captured_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();

export interface ProcessFilter {
  readonly state?: string | undefined;
  readonly role?: string | undefined;
  readonly limit: number;
}

/** Processes of a project's unrevoked agents, most recently seen first. */
export const listProcesses = (
  db: Db,
  projectId: string,
  { state, role, limit }: ProcessFilter,
): Promise<AgentWorkerRow[]> =>
  db
    .selectFrom("agent_workers as w")
    .innerJoin("agents as a", "a.id", "w.agent_id")
    .selectAll("w")
    .where("w.project_id", "=", projectId)
    .where("a.revoked_at", "is", null)
    .$if(state !== undefined, (query) => query.where("w.state", "=", state!))
    .$if(role !== undefined, (query) => query.where("w.role", "=", role!))
    .orderBy("w.last_seen_at", (order) => order.desc().nullsLast())
    .orderBy("w.id")
    .limit(limit)
    .execute();

/** Unrevoked agents of a project per state. */
export async function countByState(
  db: Db,
  projectId: string,
): Promise<Record<"online" | "offline" | "unknown", number>> {
  const rows = await db
    .selectFrom("agents")
    .select(["state", sql<number>`count(*)`.as("count")])
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null)
    .groupBy("state")
    .execute();
  const counts = { online: 0, offline: 0, unknown: 0 };
  for (const { state, count } of rows) if (state in counts) counts[state as keyof typeof counts] = Number(count);
  return counts;
}

/** Agents online now: in total, and by slug for at most `limit` active projects that have any agent, including those with 0 online. */
export async function countOnline(
  db: Db,
  limit: number,
): Promise<{ total: number; projects: { slug: string; count: number }[] }> {
  const rows = await db
    .selectFrom("agents as a")
    .innerJoin("projects as p", "p.id", "a.project_id")
    .select(["p.slug", (eb) => eb.fn.countAll<number>().filterWhere("a.state", "=", "online").as("count")])
    .where("a.revoked_at", "is", null)
    .where("p.is_active", "=", true)
    .groupBy("p.slug")
    .orderBy("p.slug")
    .execute();
  const projects = rows.map(({ slug, count }) => ({ slug, count: Number(count) }));
  return { total: projects.reduce((sum, { count }) => sum + count, 0), projects: projects.slice(0, limit) };
}
