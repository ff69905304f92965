import { randomUUID } from "node:crypto";
import { type Connection, pause } from "./connection.ts";

const holdMs = 10_000;
const renewEveryMs = 3000;

/** Takes a lease again that a restarted Redis lost with its data: only this holder knows which tasks were lost. */
const renewScript = `local holder = redis.call("GET", KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1`;
const releaseScript = `if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end
return 1`;

export interface LeaseWork {
  /** Runs while the lease is held; must end soon after the signal aborts. */
  readonly whileHeld: (signal: AbortSignal) => Promise<void>;
  /** Runs at every renewal, about every three seconds, and once before the lease is released. */
  readonly onRenew: () => Promise<void>;
}

/**
 * Lets one process at a time do the work, among all that use the same key. The holder renews its lease; when renewal fails, it stops
 * before the lease expires. Two holders overlap for a moment at most, which is harmless: both make the same events.
 */
export async function runWhileLeased(connection: Connection, key: string, work: LeaseWork, signal: AbortSignal) {
  const token = randomUUID();
  const { redis } = connection;
  while (!signal.aborted) {
    try {
      await connection.ready(signal);
      if ((await redis.set(key, token, "PX", holdMs, "NX")) !== null) await hold();
      else await pause(renewEveryMs, signal);
    } catch {
      await pause(renewEveryMs, signal).catch(() => {});
    }
  }

  async function hold(): Promise<void> {
    const tenure = new AbortController();
    const end = () => tenure.abort();
    signal.addEventListener("abort", end, { once: true });
    const working = work.whileHeld(tenure.signal);
    try {
      await renewWhileHeld(tenure.signal);
    } finally {
      signal.removeEventListener("abort", end);
      tenure.abort();
      await working;
      await work.onRenew().catch(() => {});
      await redis.eval(releaseScript, 1, key, token).catch(() => {});
    }
  }

  async function renewWhileHeld(tenure: AbortSignal): Promise<void> {
    let renewedAt = performance.now();
    while (!tenure.aborted && performance.now() - renewedAt < holdMs - renewEveryMs) {
      await pause(renewEveryMs, tenure).catch(() => {});
      if (tenure.aborted) return;
      try {
        if ((await redis.eval(renewScript, 1, key, token, String(holdMs))) !== 1) return;
        renewedAt = performance.now();
        await work.onRenew();
      } catch {
        // without a connection, the loop ends the tenure before another process may take the lease
      }
    }
  }
}
