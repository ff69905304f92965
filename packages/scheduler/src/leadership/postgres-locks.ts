import pg from "pg";
import { reasonOf, type SchedulerLog } from "../log.ts";
import type { OpenLockSession } from "./lock-session.ts";

const connectMs = 5000;
/** The server notices within about 15 s that this machine has vanished, and frees its locks. */
const keepalives = "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2";

export interface PostgresLocksOptions {
  readonly url: string;
  /** Time limit for an answer; then the session counts as lost. */
  readonly answerMs: number;
  readonly log: SchedulerLog;
}

/** Session advisory locks of PostgreSQL on one dedicated connection. */
export const openPostgresLocks =
  ({ url, answerMs, log }: PostgresLocksOptions): OpenLockSession =>
  async (onLost) => {
    const client = new pg.Client({
      connectionString: url,
      application_name: "svc-scheduler",
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
    });
    let isLost = false;
    const lost = () => {
      if (isLost) return;
      isLost = true;
      onLost();
    };
    client.on("error", (fault) => {
      log.warn("scheduler.leadership.connection_failed", { reason: reasonOf(fault) });
      lost();
    });
    client.on("end", lost);
    await client.connect();
    await client.query(keepalives).catch((fault: unknown) => {
      log.debug("scheduler.leadership.keepalives_refused", { reason: reasonOf(fault) });
    });
    const run = async (statement: string, keys: readonly bigint[]): Promise<bigint[]> => {
      const { rows } = await client.query<{ key: string }>(statement, [keys.map(String)]);
      return rows.map(({ key }) => BigInt(key));
    };
    return {
      tryLock: (keys) => run("SELECT key::text FROM unnest($1::bigint[]) AS key WHERE pg_try_advisory_lock(key)", keys),
      async unlock(keys) {
        await run("SELECT key::text FROM unnest($1::bigint[]) AS key WHERE pg_advisory_unlock(key)", keys);
      },
      async confirm() {
        await client.query("SELECT 1");
      },
      async close() {
        isLost = true;
        await client.end().catch(() => {});
      },
    };
  };
