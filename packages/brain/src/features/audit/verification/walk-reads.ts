import { countOf } from "../../../platform/database/results.ts";
import type { AuditLogRow, Db } from "../../../schema/tables/index.ts";

/** The next rows in chain order, from the oldest when `after` is null. */
export const rowsAfter = (
  db: Db,
  after: Pick<AuditLogRow, "occurred_us" | "id"> | null,
  limit: number,
): Promise<AuditLogRow[]> =>
  db
    .selectFrom("audit_log")
    .selectAll()
    .$if(after !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("occurred_us", "id"), ">", tuple(after!.occurred_us, after!.id)),
      ),
    )
    .orderBy("occurred_us")
    .orderBy("id")
    .limit(limit)
    .execute();

export const rowById = (db: Db, id: string): Promise<AuditLogRow | undefined> =>
  db.selectFrom("audit_log").selectAll().where("id", "=", id).executeTakeFirst();

export const countRows = (db: Db): Promise<number> =>
  countOf(db.selectFrom("audit_log").select((eb) => eb.fn.countAll<string | number>().as("count")));
