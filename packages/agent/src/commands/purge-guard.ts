import { equalSecrets, purgeConfirmToken, wireTimes } from "@svc/protocol";
import type { EngineAdapter } from "../adapter.ts";
import { type Clock, within } from "../runtime/clock.ts";
import { reasonOf } from "../runtime/log.ts";
import type { Command } from "./command.ts";

type PurgeCheck =
  | { readonly refusal: string }
  /** Without a depth all that waits may go. */
  | { readonly refusal?: undefined; readonly confirmedDepth?: number };

/**
 * Whether a purge may be carried out, and of how many tasks. Its confirm token must be the keyed one (spec part 3, section 1.7) of the
 * depth that the adapter sees now, so whoever asked has seen what goes. `force` bypasses this.
 */
export async function checkPurge(
  { parameters }: Command,
  adapter: EngineAdapter,
  { secret, clock }: { readonly secret: Uint8Array; readonly clock: Clock },
): Promise<PurgeCheck> {
  const { queue, force, confirm_token: token } = parameters;
  if (typeof queue !== "string" || queue === "") return { refusal: "the purge names no queue" };
  if (force === true) return {};
  if (typeof token !== "string" || token === "") {
    return { refusal: `purging ${queue} needs the depth that was seen, as its confirm token, or force` };
  }
  const depth = await depthOf(queue, adapter, clock);
  if (typeof depth === "string") return { refusal: depth };
  if (equalSecrets(token, purgeConfirmToken(secret, queue, depth))) return { confirmedDepth: depth };
  const mismatch = "and the confirm token is not of that depth; look at the queue again, or force";
  return { refusal: `${queue} holds ${depth} tasks now, ${mismatch}` };
}

/** The present depth, or why it is not known. */
async function depthOf(queue: string, adapter: EngineAdapter, clock: Clock): Promise<number | string> {
  try {
    const depth = await within(
      clock,
      wireTimes.snapshotTimeoutMs,
      adapter.depth?.(queue) ?? depthInSnapshot(queue, adapter),
    );
    return depth ?? `the ${adapter.name} adapter sees no queue ${queue}, so the confirm token cannot be checked`;
  } catch (error) {
    return `the present depth of ${queue} is not known (${reasonOf(error)}), so the confirm token cannot be checked`;
  }
}

async function depthInSnapshot(queue: string, adapter: EngineAdapter): Promise<number | undefined> {
  const { queue_depths: depths = {} } = await adapter.snapshot();
  return Object.hasOwn(depths, queue) ? depths[queue] : undefined;
}
