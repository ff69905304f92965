import type { CommandContext, CommandHandler } from "../context/command-context.ts";
import { readCount } from "../context/parameters.ts";
import { failureOf, Refusal } from "../context/refusal.ts";
import { retryByReference } from "./retry.ts";

const mostTasks = 10_000;
const atOnce = 20;
const longestError = 300;
/** A frame holds 768 KiB. */
const resultBudgetBytes = 700 * 1024;

type Entry = Readonly<Record<string, unknown>>;

/** Retries each of the failed jobs by reference; one that cannot be retried does not stop the others. Fails only when all of them fail. */
export const bulkRetry: CommandHandler = async ({ parameters }, context) => {
  const max = readCount(parameters, "max", { least: 1, most: mostTasks });
  const taskIds = [...new Set(readTaskIds(parameters.filter))].slice(0, max);
  const entries: Entry[] = [];
  let next = 0;
  async function retryNext(): Promise<void> {
    for (let at = next++; at < taskIds.length; at = next++) entries[at] = await retryOne(String(taskIds[at]), context);
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, taskIds.length) }, retryNext));
  const result = fittingResult(entries);
  const shown = entries.find(({ outcome }) => outcome === "unknown") ?? entries[0];
  if (shown && entries.every(({ status }) => status === "failed")) {
    throw new Refusal(String(shown.error), result, shown.outcome === "unknown" ? shown.outcome : undefined);
  }
  return result;
};

async function retryOne(taskId: string, { addresses, queues, redis, hasTime }: CommandContext): Promise<Entry> {
  if (!hasTime()) return { task_id: taskId, status: "failed", error: "Not retried: the command ran out of time." };
  try {
    const job = await addresses.job(taskId);
    await retryByReference(redis, await queues.open(job.names), job);
    return { task_id: taskId, status: "success" };
  } catch (fault) {
    const { error, ...more } = failureOf(fault);
    return { task_id: taskId, status: "failed", error: error.slice(0, longestError), ...more };
  }
}

function readTaskIds(filter: unknown): readonly string[] {
  const taskIds =
    typeof filter === "object" && filter !== null ? (filter as { task_ids?: unknown }).task_ids : undefined;
  if (!Array.isArray(taskIds) || taskIds.length === 0 || !taskIds.every((id) => typeof id === "string" && id !== ""))
    throw new Refusal("filter.task_ids must be a non-empty list of task ids");
  return taskIds;
}

/** Omits entries that do not fit into a frame: successes first, from the end. */
function fittingResult(entries: readonly Entry[]): Entry {
  const sizes = new Map(entries.map((entry) => [entry, Buffer.byteLength(JSON.stringify(entry)) + 1]));
  let excess = [...sizes.values()].reduce((sum, size) => sum + size, 0) - resultBudgetBytes;
  if (excess <= 0) return { results: entries };
  const omitted = new Set<Entry>();
  for (const status of ["success", "failed"]) {
    for (const entry of entries.toReversed()) {
      if (excess <= 0) break;
      if (entry.status !== status) continue;
      omitted.add(entry);
      excess -= sizes.get(entry) ?? 0;
    }
  }
  return { results: entries.filter((entry) => !omitted.has(entry)), omitted: omitted.size };
}
