import { createHash } from "node:crypto";
import pg from "pg";
import type { Lease } from "../../database.ts";
import { dedicatedConnection } from "./pool.ts";

/** Advisory lock number of a named loop: the first 8 bytes of SHA-256 with the top bit cleared. */
export function leaseNumber(name: string): bigint {
  const digest = createHash("sha256").update(`svc.brain.workers:${name}`).digest();
  return digest.readBigUInt64BE(0) & 0x7fff_ffff_ffff_ffffn;
}

/**
 * Session advisory locks on one dedicated connection: when it is lost, so are all leases it held. `answerMs` is how long it has to answer
 * before it counts as lost; 10 s unless a test says otherwise.
 */
export function createLeases(
  config: pg.ClientConfig,
  onError: (error: Error) => void,
  answerMs = dedicatedConnection.query_timeout as number,
) {
  let connection: Promise<pg.Client> | null = null;
  // The connection runs one statement at a time; concurrent loops wait for each other here, not inside the driver.
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  }

  function connect(): Promise<pg.Client> {
    const opening = (async () => {
      const client = new pg.Client({ ...config, ...dedicatedConnection, query_timeout: answerMs });
      const lost = () => {
        if (connection === opening) connection = null;
      };
      client.on("error", (error) => {
        onError(error);
        lost();
      });
      client.on("end", lost);
      try {
        await client.connect();
      } catch (error) {
        lost();
        throw error;
      }
      return client;
    })();
    return opening;
  }

  /** Queries the connection `held`. If it does not answer, it is closed with all its leases, and the next query opens a new one. */
  async function ask<Row extends pg.QueryResultRow>(held: Promise<pg.Client>, text: string, number: string) {
    const client = await held;
    try {
      return await inTurn(() => client.query<Row>(text, [number]));
    } catch (error) {
      if (connection === held) connection = null;
      client.end().catch(() => {});
      throw error;
    }
  }

  return {
    async lead(name: string): Promise<Lease | null> {
      connection ??= connect();
      const held = connection;
      const number = leaseNumber(name).toString();
      const { rows } = await ask<{ won: boolean }>(held, "SELECT pg_try_advisory_lock($1::bigint) AS won", number);
      if (rows[0]?.won !== true) return null;
      const isHeld = () => connection === held;
      return {
        isHeld,
        async release() {
          if (isHeld()) await ask(held, "SELECT pg_advisory_unlock($1::bigint)", number);
        },
      };
    },
    async close(): Promise<void> {
      const open = connection;
      connection = null;
      await open?.then(
        (client) => client.end(),
        () => {},
      );
    },
  };
}
