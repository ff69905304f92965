import type { ExpressionBuilder } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { changesOne } from "../../platform/database/results.ts";
import type { AgentRow, Db, Tables } from "../../schema/tables/index.ts";
import { type ListedAgent, publicColumns } from "./reads.ts";

export const insertAgent = (tx: Tx<Tables>, row: AgentRow): Promise<ListedAgent> =>
  tx.insertInto("agents").values(row).returning(publicColumns).executeTakeFirstOrThrow();

export interface Revocation {
  readonly id: string;
  readonly projectId: string;
  readonly now: Date;
  /** Only an agent without contact since this time. */
  readonly silentSince: Date | null;
}

/** Revokes an agent under its tombstone name; undefined when it is unknown in the project, already revoked, or seen again. */
export async function tombstone(
  tx: Tx<Tables>,
  { id, projectId, now, silentSince }: Revocation,
): Promise<{ name: string } | undefined> {
  const agent = await tx
    .selectFrom("agents")
    .select("name")
    .where("id", "=", id)
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (agent === undefined) return undefined;
  const hex = id.replaceAll("-", "");
  const short = `${agent.name} ~${hex.slice(0, 8)}`;
  // The first digits of an id encode its minute, so an agent of the same name may have been created and revoked in the same minute.
  const taken = await tx
    .selectFrom("agents")
    .select("id")
    .where("project_id", "=", projectId)
    .where("name", "=", short)
    .executeTakeFirst();
  const revoking = tx
    .updateTable("agents")
    .set({
      revoked_at: now,
      updated_at: now,
      state: "offline",
      name: taken === undefined ? short : `${agent.name} ~${hex}`,
    })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .$if(silentSince !== null, (query) => query.where(hasBeenSilent(silentSince ?? now)));
  return (await changesOne(revoking)) ? agent : undefined;
}

/** Unrevoked agents created before `cutoff` and without contact since then: not seen, connected or polling. */
const hasBeenSilent = (since: Date) => (eb: ExpressionBuilder<Tables, "agents">) =>
  eb.and([
    eb("created_at", "<", since),
    eb.or([eb("last_seen_at", "is", null), eb("last_seen_at", "<", since)]),
    eb.or([eb("last_connect_at", "is", null), eb("last_connect_at", "<", since)]),
  ]);

export const listStale = (db: Db, cutoff: Date, limit: number): Promise<{ id: string; project_id: string }[]> =>
  db
    .selectFrom("agents")
    .select(["id", "project_id"])
    .where("revoked_at", "is", null)
    .where(hasBeenSilent(cutoff))
    .orderBy("id")
    .limit(limit)
    .execute();
