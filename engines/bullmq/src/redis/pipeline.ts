import type { ChainableCommander, Redis } from "ioredis";

type Reply = [error: Error | null, result: unknown];

/** @throws the error of a failed command of a pipeline. */
export function replyValue(reply: Reply | undefined): unknown {
  if (!reply) throw new Error("a pipeline ended early");
  if (reply[0]) throw reply[0];
  return reply[1];
}

/**
 * Runs the same commands for each item, `itemsAtOnce` items per pipeline, and returns the replies in order.
 *
 * @throws the error of the first command that failed.
 */
export async function askEach<Item>(
  redis: Redis,
  items: readonly Item[],
  ask: (pipeline: ChainableCommander, item: Item) => unknown,
  itemsAtOnce = 500,
): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let from = 0; from < items.length; from += itemsAtOnce) {
    const pipeline = redis.pipeline();
    for (const item of items.slice(from, from + itemsAtOnce)) ask(pipeline, item);
    for (const reply of (await pipeline.exec()) ?? []) answers.push(replyValue(reply));
  }
  return answers;
}
