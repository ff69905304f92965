import { equalSecrets, purgeConfirmToken, wireTimes } from "@svc/protocol";
import type { EngineAdapter } from "../adapter.ts";
import { type Clock, within } from "../runtime/clock.ts";
import { reasonOf } from "../runtime/log.ts";
import type { Command } from "./command.ts";

type PurgeCheck =
  | { readonly refusal: string }
  /** Without a confirmed depth all waiting tasks may be removed. */
  | { readonly refusal?: undefined; readonly confirmedDepth?: number };

/**
 * Whether a purge is allowed, and of how many tasks. Its confirm token must be the HMAC of the queue's current depth, which proves that the
 * user saw this depth. `force` skips the check.
 */
export async function checkPurge(
  { parameters }: Command,
  adapter: EngineAdapter,
  { secret, clock }: { readonly secret: Uint8Array; readonly clock: Clock },
): Promise<PurgeCheck> {
  const { queue, force, confirm_token: token } = parameters;
  if (typeof queue !== "string" || queue === "") return { refusal: "the purge has no queue" };
  if (force === true) return {};
  if (typeof token !== "string" || token === "") {
    return { refusal: `purging ${queue} requires a confirm token of its depth, or force` };
  }
  const depth = await depthOf(queue, adapter, clock);
  if (typeof depth === "string") return { refusal: depth };
  if (equalSecrets(token, purgeConfirmToken(secret, queue, depth))) return { confirmedDepth: depth };
  const mismatch = "and the confirm token is for another depth. Check the queue and try again, or use force";
  return { refusal: `${queue} has ${depth} ${depth === 1 ? "task" : "tasks"} now, ${mismatch}` };
}

/** The current depth, or why it is unknown. */
async function depthOf(queue: string, adapter: EngineAdapter, clock: Clock): Promise<number | string> {
  try {
    const depth = await within(
      clock,
      wireTimes.snapshotTimeoutMs,
      adapter.depth?.(queue) ?? depthInSnapshot(queue, adapter),
    );
    return (
      depth ?? `the ${adapter.name} adapter does not see the queue ${queue}, so the confirm token cannot be checked`
    );
  } catch (error) {
    return `the current depth of ${queue} is unknown (${reasonOf(error)}), so the confirm token cannot be checked`;
  }
}

async function depthInSnapshot(queue: string, adapter: EngineAdapter): Promise<number | undefined> {
  const { queue_depths: depths = {} } = await adapter.snapshot();
  return Object.hasOwn(depths, queue) ? depths[queue] : undefined;
}
