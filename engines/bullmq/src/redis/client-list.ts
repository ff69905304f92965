import type { Redis } from "ioredis";

export interface FoundQueue {
  readonly prefix: string;
  readonly queue: string;
}

/** The blocking connection of a worker is named `<prefix>:<base64 of the queue>`, plus `:w:<worker>` when the worker has a name. */
export interface WorkerConnection extends FoundQueue {
  readonly worker: string | undefined;
}

/**
 * Lists the connections of this database's workers. When a managed server or the Redis user's rights forbid listing clients,
 * `onForbidden` is called once and Redis is not asked again. After any other error the next call asks again.
 */
export function createClientList(redis: Redis, prefixes: readonly string[], onForbidden: () => void) {
  let isForbidden = false;
  /** Undefined when Redis did not answer. */
  return async function listWorkers(): Promise<readonly WorkerConnection[] | undefined> {
    if (isForbidden) return undefined;
    try {
      return readWorkerConnections((await redis.client("LIST")) as string, prefixes, redis.options.db);
    } catch (fault) {
      isForbidden = /NOPERM|unknown (sub)?command|not (allowed|available|supported)/i.test(String(fault));
      if (isForbidden) onForbidden();
      return undefined;
    }
  };
}

/** Redis lists the connections to all of its databases. */
export const readWorkerConnections = (
  list: string,
  prefixes: readonly string[],
  database = 0,
): readonly WorkerConnection[] =>
  list.split("\n").flatMap((line) => {
    const name = / name=([^ ]+) /.exec(line)?.[1];
    const db = Number(/ db=([0-9]+)/.exec(line)?.[1] ?? database);
    return name === undefined || db !== database ? [] : (queueOfClientName(name, prefixes) ?? []);
  });

/** Undefined unless the connection belongs to a worker with one of these prefixes. */
export function queueOfClientName(name: string, prefixes: readonly string[]): WorkerConnection | undefined {
  for (const prefix of prefixes) {
    if (!name.startsWith(`${prefix}:`)) continue;
    const rest = name.slice(prefix.length + 1);
    const parts = /^([A-Za-z0-9+/]+={0,2})(?::w:(.+))?$/s.exec(rest);
    const encoded = parts?.[1];
    if (encoded === undefined) continue;
    const queue = Buffer.from(encoded, "base64").toString("utf8");
    if (queue === "" || Buffer.from(queue, "utf8").toString("base64") !== encoded) continue;
    return { prefix, queue, worker: parts?.[2] };
  }
  return undefined;
}
