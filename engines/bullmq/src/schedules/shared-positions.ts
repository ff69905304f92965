import { type AgentLog, createLocalPositions, type PositionCounter, type StreamPosition } from "@svc/agent";
import type { Redis } from "ioredis";

/**
 * Takes positions unless others were taken since the caller read the state. Begins a new epoch at a start, without a counter, and when Redis
 * went back in time behind what this process took.
 */
const takeScript = `
local stored = redis.call("HMGET", KEYS[1], "epoch", "sequence")
local epoch, sequence = tonumber(stored[1] or "0"), tonumber(stored[2] or "0")
local now, count = tonumber(ARGV[1]), tonumber(ARGV[2])
if ARGV[4] ~= "" and (tonumber(ARGV[4]) ~= epoch or tonumber(ARGV[5]) ~= sequence) then return false end
local ownEpoch, ownSequence = tonumber(ARGV[6]), tonumber(ARGV[7])
local isBehind = epoch < ownEpoch or (epoch == ownEpoch and sequence < ownSequence)
if ARGV[3] == "1" or epoch == 0 or isBehind then
  epoch, sequence = math.max(now, epoch + 1, ownEpoch + 1), 0
end
redis.call("HSET", KEYS[1], "epoch", string.format("%.0f", epoch), "sequence", string.format("%.0f", sequence + count))
return {string.format("%.0f", epoch), string.format("%.0f", sequence + 1)}`;

/**
 * A counter in Redis for all processes that report the same schedules, because any process of an application may carry out a command. A
 * Redis user that may not write counts in its own process.
 */
export function createSharedPositions(redis: Redis, key: string, log: AgentLog): PositionCounter {
  const local = createLocalPositions();
  let isLocal = false;
  let own: StreamPosition = { epoch: 0, sequence: 0 };

  function countLocally(fault: unknown): void {
    if (!(fault instanceof Error && fault.message.startsWith("NOPERM"))) throw fault;
    isLocal = true;
    log.info("Redis does not allow writing; positions of schedules are counted in this process");
  }

  return {
    async newest() {
      if (isLocal) return await local.newest();
      const [epoch, sequence] = await redis.hmget(key, "epoch", "sequence");
      return epoch && sequence ? { epoch: Number(epoch), sequence: Number(sequence) } : undefined;
    },
    async take(count, taking) {
      if (!isLocal) {
        try {
          const { isStart = false, since } = taking;
          const args = [Date.now(), count, isStart ? 1 : 0, since?.epoch ?? "", since?.sequence ?? ""];
          const reply = await redis.eval(takeScript, 1, key, ...args, own.epoch, own.sequence);
          if (reply === null) return undefined;
          const [epoch, sequence] = (reply as string[]).map(Number) as [number, number];
          own = { epoch, sequence: sequence + count - 1 };
          return { epoch, sequence };
        } catch (fault) {
          countLocally(fault);
        }
      }
      return await local.take(count, { isStart: taking.isStart ?? false });
    },
  };
}
