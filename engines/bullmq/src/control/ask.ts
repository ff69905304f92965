import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { networkFaultOf } from "../redis/connection.ts";
import {
  askedMark,
  type ControlReply,
  type ControlRequest,
  controlChannel,
  readReply,
  replyExpiryMs,
} from "./messages.ts";

const pollEveryMs = 50;

export interface Asked {
  /** Processes that the request reached. */
  readonly reached: number;
  /** Answers of the processes that have the worker or job. */
  readonly concerned: readonly ControlReply[];
  /** Processes that did not answer in time. */
  readonly silent: number;
}

/**
 * Asks all processes with workers of these prefixes, and waits until each has answered or `hasTime` returns false. A job runs in one
 * process, so to cancel it the first process that has it is enough.
 */
export async function askProcesses(
  redis: Redis,
  prefixes: readonly string[],
  request: ControlRequest,
  hasTime: () => boolean,
): Promise<Asked> {
  const asked = await Promise.all(
    prefixes.map(async (prefix) => {
      const replyKey = `${prefix}:svc-reply:${randomUUID()}`;
      try {
        await Promise.all([redis.rpush(replyKey, askedMark), redis.pexpire(replyKey, replyExpiryMs)]);
        const message = JSON.stringify({ prefix, replyKey, request });
        const reached = await redis.publish(controlChannel(prefix, redis.options.db), message);
        return { reached, replies: await collect(replyKey, reached) };
      } finally {
        await redis.del(replyKey).catch(() => {}); // it expires anyway
      }
    }),
  );
  const reached = asked.reduce((sum, one) => sum + one.reached, 0);
  const replies = asked.flatMap((one) => one.replies);
  return { reached, concerned: replies.filter((reply) => reply.isConcerned), silent: reached - replies.length };

  async function collect(replyKey: string, expected: number): Promise<readonly ControlReply[]> {
    const replies: ControlReply[] = [];
    const isEnough = () =>
      replies.length >= expected || (request.action === "cancel" && replies.some((reply) => reply.isConcerned));
    while (!isEnough() && hasTime()) {
      const texts = await redis.lrange(replyKey, replies.length + 1, -1);
      for (const text of texts) replies.push(readReply(text) ?? { from: "", isConcerned: false });
      if (!isEnough()) await pause(pollEveryMs);
    }
    return replies;
  }
}

/** Whether any process listens. A Redis user without the right to ask sees none; while Redis does not answer, the last result applies. */
export async function hasListeners(redis: Redis, prefixes: readonly string[], before: boolean): Promise<boolean> {
  const channels = prefixes.map((prefix) => controlChannel(prefix, redis.options.db));
  try {
    const counts = (await redis.pubsub("NUMSUB", ...channels)) as readonly unknown[];
    return counts.some((count, index) => index % 2 === 1 && Number(count) > 0);
  } catch (fault) {
    return networkFaultOf(fault as Error) !== undefined && before;
  }
}
