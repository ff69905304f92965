import type { AgentLog } from "@svc/agent";
import type { Redis } from "ioredis";
import type { StreamCap } from "../options.ts";
import type { QueueWatch } from "./stream-position.ts";

/** Writes only to an existing meta hash of BullMQ 5 or 6, so that a removed queue does not reappear; only raises a cap. */
const raiseScript = `
local version = redis.call("HGET", KEYS[1], "version")
if not version or not (string.find(version, "^bullmq:5%.") or string.find(version, "^bullmq:6%.")) then return 0 end
local cap = tonumber(redis.call("HGET", KEYS[1], "opts.maxLenEvents") or "10000")
if not cap or cap >= tonumber(ARGV[1]) then return 0 end
redis.call("HSET", KEYS[1], "opts.maxLenEvents", ARGV[1])
return 1`;

const defaultCap = 10_000;
/** Memory that Redis uses for an entry in addition to its values. */
const entryOverheadBytes = 52;

export function createStreamCap(redis: Redis, cap: StreamCap, log: AgentLog) {
  let isRefused = false;

  /** Raises the caps again. @param averageEntryChars characters of values in an average entry. */
  return async function raise(watches: readonly QueueWatch[], averageEntryChars: number): Promise<void> {
    if (isRefused) return;
    const fitting = Math.floor(cap.maxBytes / (entryOverheadBytes + averageEntryChars));
    const entries = Math.min(cap.entries, fitting);
    if (entries <= defaultCap) return;
    const pipeline = redis.pipeline();
    for (const { names } of watches) pipeline.eval(raiseScript, 1, `${names.keyBase}meta`, String(entries));
    const replies = (await pipeline.exec()) ?? [];
    const fault = replies.find(([error]) => error !== null)?.[0];
    if (!fault) return;
    isRefused = /NOPERM|READONLY|unknown command/i.test(fault.message);
    log.warn("could not raise the cap of an event stream", { again: !isRefused });
  };
}
