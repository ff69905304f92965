import type { Redis } from "ioredis";
import { replyValue } from "../redis/pipeline.ts";
import type { JobField, JobHash } from "./job-hash.ts";
import { shortPayload } from "./payload.ts";

/** What to read about one job, as a bit set. */
export const need = { worker: 1, beginning: 2, failure: 4, result: 8 } as const;

// biome-ignore format: a list
const beginningFields: readonly JobField[] = [
  "name", "data", "opts", "timestamp", "priority", "parent", "parentKey", "processedOn", "ats", "atm",
];
const fieldsOfNeed: readonly (readonly [number, readonly JobField[]])[] = [
  [need.worker, ["pb"]],
  [need.beginning, beginningFields],
  [need.failure, ["ats", "atm", "finishedOn", "failedReason", "stacktrace"]],
  [need.result, ["finishedOn", "returnvalue"]],
];
const fieldsByNeeds: readonly (readonly JobField[])[] = Array.from({ length: 16 }, (_, needs) => [
  ...new Set(fieldsOfNeed.flatMap(([bit, fields]) => (needs & bit ? fields : []))),
]);

const largestChunk = 500;
const smallestChunk = 5;
const chunkBudgetChars = 8 * 1024 * 1024;

export interface Hydration {
  readonly hashes: ReadonlyMap<string, JobHash>;
  /** Redis time just before the hashes were read, in milliseconds. */
  readonly readAtMs: number;
}

/**
 * Reads fields of many job hashes with one pipelined HMGET each. Chunk size adapts to the size of the hashes read so far, and long
 * payloads are shortened, so a thousand jobs with payloads of 1 MB are never in memory together. A missing hash gives an empty entry.
 */
export function createHydrator(redis: Redis) {
  let averageChars = 2000;

  return async function hydrate(needsByKey: ReadonlyMap<string, number>): Promise<Hydration> {
    const hashes = new Map<string, JobHash>();
    if (needsByKey.size === 0) return { hashes, readAtMs: 0 };
    const wanted = [...needsByKey];
    let readAtMs = 0;
    for (let at = 0; at < wanted.length; ) {
      const size = Math.min(Math.max(Math.floor(chunkBudgetChars / averageChars), smallestChunk), largestChunk);
      const chunk = wanted.slice(at, at + size);
      at += chunk.length;
      const pipeline = redis.pipeline();
      if (readAtMs === 0) pipeline.time();
      for (const [key, needs] of chunk) pipeline.hmget(key, ...(fieldsByNeeds[needs] ?? []));
      const replies = (await pipeline.exec()) ?? [];
      const offset = readAtMs === 0 ? 1 : 0;
      if (offset === 1) readAtMs = readTime(replyValue(replies[0]));
      let chars = 0;
      for (const [index, [key, needs]] of chunk.entries()) {
        const values = hashValues(replies[index + offset]);
        const hash: Partial<Record<JobField, string>> = {};
        const fields = fieldsByNeeds[needs] ?? [];
        for (let field = 0; field < fields.length; field += 1) {
          const value = values[field];
          if (value === null || value === undefined) continue;
          const name = fields[field] as JobField;
          hash[name] = name === "data" || name === "returnvalue" ? shortPayload(value) : value;
          chars += value.length;
        }
        hashes.set(key, hash);
      }
      averageChars = Math.max(averageChars * 0.5 + (chars / chunk.length) * 0.5, 100);
    }
    return { hashes, readAtMs };
  };
}

/** A job id such as `delayed` is a key of the queue itself, and not a hash: such a job must not stop the others. */
function hashValues(reply: [error: Error | null, result: unknown] | undefined): readonly (string | null)[] {
  return reply?.[0]?.message.startsWith("WRONGTYPE") ? [] : (replyValue(reply) as readonly (string | null)[]);
}

function readTime(reply: unknown): number {
  const [seconds, microseconds] = reply as readonly [string, string];
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}
