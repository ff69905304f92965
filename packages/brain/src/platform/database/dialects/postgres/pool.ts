import pg from "pg";
import { judgePostgresUrl } from "./url.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly maxOverflow: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionMs: number;
  readonly inactiveConnectionSeconds: number;
  /** TLS to servers that are not on this host. */
  readonly requireTls: boolean;
  /** Called whenever the server ended a transaction because of a deadlock. */
  readonly onDeadlock?: () => void;
}

const jsonTypes = new Set<number>([114, 3802]);
const int8Type = 20;

/** JSON stays text (numbers that no double holds keep their digits), int8 becomes a number, the rest as the driver does it. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: unknown) {
    if (jsonTypes.has(oid)) return (text: string) => text;
    if (oid === int8Type) return (text: string) => Number(text);
    return pg.types.getTypeParser(oid, format as "text");
  },
};

/** @throws TypeError for a URL whose parameters would override the options. */
export function connectionConfig(options: PostgresOptions): pg.PoolConfig {
  const { isLocal, fault } = judgePostgresUrl(options.url, options.requireTls);
  if (fault !== null) throw new TypeError(`the URL of the database ${fault}`);
  const needsTls = options.requireTls && !isLocal;
  return {
    connectionString: options.url,
    types,
    application_name: "svc-brain",
    options: [
      `-c statement_timeout=${options.statementTimeoutMs}`,
      `-c lock_timeout=${options.lockTimeoutMs}`,
      `-c idle_in_transaction_session_timeout=${options.idleInTransactionMs}`,
      "-c timezone=UTC",
      "-c jit=off",
    ].join(" "),
    ...(needsTls && { ssl: true }),
  };
}

/**
 * Extra configuration of a long-lived connection: a peer that disappears silently is detected within minutes, and every statement has a
 * time limit.
 */
export const dedicatedConnection = {
  options: "-c timezone=UTC",
  keepAlive: true,
  keepAliveInitialDelayMillis: 30_000,
  connectionTimeoutMillis: 10_000,
  query_timeout: 10_000,
} as const;

const deadlockDetected = "40P01";

/** The driver's own connection object, which its types do not show on a client. */
const connectionOf = (client: pg.ClientBase) =>
  (
    client as unknown as {
      connection: { on(name: "errorMessage", listener: (error: { code?: string }) => void): void };
    }
  ).connection;

/** How long a close waits for connections whose end the server does not confirm. */
const endWaitMs = 10_000;

/** @returns `close` resolves when the server has ended the connections too; the pool's own `end` does not wait for that. */
export function openPool(options: PostgresOptions): { readonly pool: pg.Pool; close(): Promise<void> } {
  const pool = new pg.Pool({
    ...connectionConfig(options),
    max: options.poolSize + options.maxOverflow,
    idleTimeoutMillis: options.inactiveConnectionSeconds * 1000,
    connectionTimeoutMillis: 10_000,
    // Statements submitted together are sent together; callers that await each one are not affected.
    pipeline: true,
  });
  // A connection that breaks while idle is replaced at next use; without a listener it would end the process.
  pool.on("error", () => {});
  const ends = new Set<Promise<unknown>>();
  // The pool listens to idle connections only. One that breaks in a transaction fails its statement, and must not end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
    const end: Promise<unknown> = new Promise((resolve) => client.once("end", resolve)).then(() => ends.delete(end));
    ends.add(end);
    // Counted here, because most callers handle the error by a retry.
    connectionOf(client).on("errorMessage", ({ code }) => {
      if (code === deadlockDetected) options.onDeadlock?.();
    });
  });
  return {
    pool,
    async close() {
      await pool.end();
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, endWaitMs);
      await Promise.race([Promise.all(ends), timeout.promise]);
      clearTimeout(timer);
    },
  };
}
