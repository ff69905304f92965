import type { Db } from "../../../schema/tables/index.ts";
import type { WalkedRow } from "./walk.ts";

export type ChainReader = Db;

const columns = [
  "id",
  "project_id",
  "user_id",
  "api_key_id",
  "action",
  "target_type",
  "target_id",
  "result",
  "outcome",
  "event_id",
  "actor_ref",
  "source_ip",
  "user_agent",
  "metadata",
  "occurred_us",
  "row_hmac",
  "prev_row_hmac",
  "hmac_version",
  "hmac_key_id",
  "chain_generation",
  "legacy_class",
] as const;

/** The next rows of the chain in its order, from the oldest when `after` is null. */
export const rowsAfter = (
  db: ChainReader,
  after: Pick<WalkedRow, "occurred_us" | "id"> | null,
  limit: number,
): Promise<WalkedRow[]> =>
  db
    .selectFrom("audit_log")
    .select(columns)
    .$if(after !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("occurred_us", "id"), ">", tuple(after!.occurred_us, after!.id)),
      ),
    )
    .orderBy("occurred_us")
    .orderBy("id")
    .limit(limit)
    .execute();

export const rowById = (db: ChainReader, id: string): Promise<WalkedRow | undefined> =>
  db.selectFrom("audit_log").select(columns).where("id", "=", id).executeTakeFirst();

export async function countRows(db: ChainReader): Promise<number> {
  const { count } = await db
    .selectFrom("audit_log")
    .select((eb) => eb.fn.countAll<string | number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
