import { type CompiledQuery, Kysely, PostgresDialect } from "kysely";
import type { Database } from "../../database.ts";
import { commitsTogether, createSharedFlush } from "../shared-flush.ts";
import { createLeases } from "./leases.ts";
import { Listener } from "./notify.ts";
import { connectionConfig, openPool, type PostgresOptions } from "./pool.ts";
import { createSharedTransactions } from "./shared-transactions.ts";

export type { PostgresOptions } from "./pool.ts";

/** Opens the server database: one pool, one listening connection, one connection for leases (both made at first use). */
export async function openPostgres<Schema>(
  options: PostgresOptions & { onError: (error: Error) => void },
): Promise<Database<Schema>> {
  const { pool, close } = openPool(options);
  const config = connectionConfig(options);
  const listener = new Listener(config, options.onError);
  const leases = createLeases(config, options.onError);
  // A commit that writes, under the durability settings of the server, covers all commits before it.
  const flushed = createSharedFlush(() => pool.query("SELECT pg_logical_emit_message(true, 'svc', '')"));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const write = createSharedTransactions<Schema>(async (work) => {
    let waits = false;
    const result = await db
      .transaction()
      .setIsolationLevel("read committed")
      .execute(async (tx) => {
        const value = await work(tx);
        waits = commitsTogether(tx);
        return value;
      });
    if (waits) await flushed();
    return result;
  });
  return {
    dialect: "postgres",
    isShared: true,
    read: db,
    slow: db,
    async prepared<Row>(name: string, { sql, parameters }: CompiledQuery<Row>) {
      const { rows } = await pool.query({ name, text: sql, values: [...parameters] });
      return rows as Row[];
    },
    write,
    snapshot: (work) => db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work),
    flush: flushed,
    bulk: { dialect: "postgres", pool },
    async notify(channel, payload) {
      // Notifications may be lost anyway, so they need not wait for the disk.
      await pool.query("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", [channel, payload]);
    },
    listen: (channel, handler, options) => listener.listen(channel, handler, options),
    lead: (name) => leases.lead(name),
    async ping() {
      await pool.query("SELECT 1");
    },
    checkpoint: async () => null,
    poolStats: () => ({ size: pool.totalCount, checkedOut: pool.totalCount - pool.idleCount }),
    async close() {
      await Promise.all([listener.close(), leases.close()]);
      await close();
    },
  };
}
