import { sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { lockRows } from "../../../platform/database/dialects/locks.ts";
import { affectedRows, changesOne, findsRow } from "../../../platform/database/results.ts";
import type { AgentRow, AgentWorkerRow, Db, Tables } from "../../../schema/tables/index.ts";

type ChangedAgent = Pick<AgentRow, "id" | "project_id">;

export type HelloFacts = Pick<
  AgentRow,
  | "transport"
  | "protocol_version"
  | "agent_version"
  | "framework_adapter"
  | "host_name"
  | "engine_adapters"
  | "scheduler_adapters"
  | "capabilities"
  | "runtime_features"
  | "metadata"
>;

/** Stores a hello and brings the agent online; false when it is revoked. */
export const markConnected = (tx: Tx<Tables>, id: string, facts: HelloFacts, at: Date): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("agents")
      .set({ ...facts, state: "online", last_seen_at: at, last_connect_at: at, updated_at: at })
      .where("id", "=", id)
      .where("revoked_at", "is", null),
  );

/** Stores a connect probe, which alone does not bring an agent online. */
export async function markProbed(tx: Tx<Tables>, id: string, runtimeFeatures: string, at: Date): Promise<void> {
  await tx
    .updateTable("agents")
    .set({ transport: "longpoll", runtime_features: runtimeFeatures, last_connect_at: at, updated_at: at })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .execute();
}

/** Whether the agent was seen, connected or polled after `since`. */
export const hasContactSince = (db: Db, id: string, since: Date): Promise<boolean> =>
  findsRow(
    db
      .selectFrom("agents")
      .select("id")
      .where("id", "=", id)
      .where((eb) => eb.or([eb("last_seen_at", ">", since), eb("last_connect_at", ">", since)])),
  );

/** Records that the agent polled for commands, which alone does not bring it online. */
export async function markPolled(tx: Tx<Tables>, id: string, at: Date): Promise<void> {
  await tx
    .updateTable("agents")
    .set({ last_connect_at: at, updated_at: at })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .execute();
}

/** Writes the row of a connected process; processes without a worker_id share one row. */
export async function upsertProcess(tx: Tx<Tables>, row: AgentWorkerRow): Promise<void> {
  const { role, framework, pid, started_at, state, capabilities, last_seen_at, last_connect_at, updated_at } = row;
  await tx
    .insertInto("agent_workers")
    .values(row)
    .onConflict((conflict) =>
      conflict.expression(sql`agent_id, coalesce(worker_id, '')`).doUpdateSet({
        role,
        framework,
        pid,
        started_at,
        state,
        capabilities,
        last_seen_at,
        last_connect_at,
        updated_at,
      }),
    )
    .execute();
}

/** Locks the agent against changes by other transactions. */
export const lockAgent = (tx: Tx<Tables>, id: string): Promise<void> =>
  lockRows(tx, tx.selectFrom("agents").select("id").where("id", "=", id).forNoKeyUpdate());

/** Marks a process offline unless a newer connection has taken over the row. */
export async function markProcessOffline(
  tx: Tx<Tables>,
  { agentId, workerId, connectedAt, now }: { agentId: string; workerId: string | null; connectedAt: Date; now: Date },
): Promise<void> {
  await tx
    .updateTable("agent_workers")
    .set({ state: "offline", updated_at: now })
    .where("agent_id", "=", agentId)
    .where(sql`coalesce(worker_id, '')`, "=", workerId ?? "")
    .where("last_connect_at", "<=", connectedAt)
    .execute();
}

/** Marks an agent offline after its last connection, unless a newer one exists or another brain has a process of it. */
export const markOffline = (
  tx: Tx<Tables>,
  { agentId, connectedAt, now }: { agentId: string; connectedAt: Date; now: Date },
): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("agents")
      .set({ state: "offline", updated_at: now })
      .where("id", "=", agentId)
      .where("state", "=", "online")
      .where("last_connect_at", "<=", connectedAt)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("agent_workers").select("id").where("agent_id", "=", agentId).where("state", "=", "online"),
          ),
        ),
      ),
  );

export interface Contacts {
  /** At most a few hundred. */
  readonly ids: readonly string[];
  /** Agents that the contact brings online; the others are only updated while they are online. */
  readonly signs: ReadonlySet<string>;
  readonly at: Date;
}

/**
 * Records contact with agents. Like every change here to several agents or processes, it locks agents by id, then processes by id, so
 * that concurrent changes do not deadlock.
 *
 * @returns the agents that were not online before, and the ids of all that are unrevoked and whose project is active.
 */
export async function markSeen(
  tx: Tx<Tables>,
  { ids, signs, at }: Contacts,
): Promise<{ returned: ChangedAgent[]; alive: Set<string> }> {
  const known = await tx
    .selectFrom("agents as a")
    .innerJoin("projects as p", "p.id", "a.project_id")
    .select(["a.id", "a.project_id", "a.state"])
    .where("a.id", "in", ids)
    .where("a.revoked_at", "is", null)
    .where("p.is_active", "=", true)
    .orderBy("a.id")
    .forNoKeyUpdate("a")
    .execute();
  const present = known.filter(({ id, state }) => state === "online" || signs.has(id));
  if (present.length > 0) {
    const presentIds = present.map(({ id }) => id);
    await tx
      .updateTable("agents")
      .set({ state: "online", last_seen_at: at })
      .where("id", "in", presentIds)
      .where((eb) => eb.or([eb("last_seen_at", "is", null), eb("last_seen_at", "<", at), eb("state", "<>", "online")]))
      .execute();
  }
  return { returned: present.filter(({ state }) => state !== "online"), alive: new Set(known.map(({ id }) => id)) };
}

/** The ids of processes addressed by agent and worker_id. */
export async function findProcesses(
  tx: Tx<Tables>,
  processes: readonly { agentId: string; workerId: string | null }[],
): Promise<string[]> {
  const rows = await tx
    .selectFrom("agent_workers")
    .select("id")
    .where(({ eb, or, and }) =>
      or(
        processes.map(({ agentId, workerId }) =>
          and([eb("agent_id", "=", agentId), eb(sql`coalesce(worker_id, '')`, "=", workerId ?? "")]),
        ),
      ),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Records contact with processes; ids ascend across several calls in one transaction. */
export async function markProcessesSeen(tx: Tx<Tables>, ids: readonly string[], at: Date): Promise<void> {
  await lockRows(tx, tx.selectFrom("agent_workers").select("id").where("id", "in", ids).orderBy("id").forNoKeyUpdate());
  await tx.updateTable("agent_workers").set({ state: "online", last_seen_at: at }).where("id", "in", ids).execute();
}

/** Marks agents and processes offline that were last seen before `cutoff`; returns the agents. */
export async function markSilent(tx: Tx<Tables>, cutoff: Date, now: Date): Promise<ChangedAgent[]> {
  const agents = await markSilentOf(tx, "agents", { cutoff, now });
  await markSilentOf(tx, "agent_workers", { cutoff, now });
  return agents;
}

async function markSilentOf(
  tx: Tx<Tables>,
  table: "agents" | "agent_workers",
  { cutoff, now }: { cutoff: Date; now: Date },
): Promise<ChangedAgent[]> {
  const silent = tx
    .selectFrom(table)
    .select("id")
    .where("state", "=", "online")
    .where("last_seen_at", "<", cutoff)
    .orderBy("id");
  return tx
    .with("silent", () => silent.forNoKeyUpdate())
    .updateTable(table)
    .set({ state: "offline", updated_at: now })
    .where("id", "in", (eb) => eb.selectFrom("silent").select("silent.id"))
    .returning(["id", "project_id"])
    .execute();
}

/** Whether any agent or process is silent: checked first, so that a write is requested only when needed. */
export async function hasSilent(db: Db, cutoff: Date): Promise<boolean> {
  const [agent, process] = await Promise.all(
    (["agents", "agent_workers"] as const).map((table) =>
      db
        .selectFrom(table)
        .select("id")
        .where("state", "=", "online")
        .where("last_seen_at", "<", cutoff)
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  return agent !== undefined || process !== undefined;
}

/** Deletes process rows that ended before `cutoff`; locked by id, like every change to several processes. */
export async function deleteOldProcesses(tx: Tx<Tables>, cutoff: Date): Promise<number> {
  const old = tx
    .selectFrom("agent_workers")
    .select("id")
    .where("state", "<>", "online")
    .where("last_seen_at", "<", cutoff)
    .orderBy("id");
  return affectedRows(
    tx
      .with("old", () => old.forUpdate())
      .deleteFrom("agent_workers")
      .where("id", "in", (eb) => eb.selectFrom("old").select("old.id")),
  );
}
