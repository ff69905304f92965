import type { QueueNames } from "../../redis/names.ts";
import type { Addresses } from "../context/addresses.ts";
import type { CommandHandler } from "../context/command-context.ts";
import { readOptionalText, readText } from "../context/parameters.ts";
import { Refusal } from "../context/refusal.ts";

const unitMs = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/**
 * BullMQ limits a queue as a whole, neither a task name nor a single worker, so the name must be a queue's. A number without a unit is
 * per second; 0 removes the limit.
 */
export const limitRate: CommandHandler = async ({ parameters }, { addresses, queues }) => {
  const label = readText(parameters, "task_name");
  const worker = readOptionalText(parameters, "worker_name");
  if (worker !== undefined && worker !== label)
    throw new Refusal("BullMQ limits the rate of a queue, not of a worker. Omit the worker.");
  const { max, durationMs } = readRate(readText(parameters, "rate"));
  const queue = await queues.open(queueCalled(label, addresses));
  if (max === 0) await queue.removeGlobalRateLimit();
  else await queue.setGlobalRateLimit(max, durationMs);
  return {};
};

function queueCalled(label: string, addresses: Addresses): QueueNames {
  try {
    return addresses.queue(label);
  } catch {
    throw new Refusal(`BullMQ limits the rate of a queue, and ${label} is not a queue that this agent watches.`);
  }
}

function readRate(rate: string): { readonly max: number; readonly durationMs: number } {
  const parts = /^(0|[1-9][0-9]{0,8})(?:\/([smh]))?$/.exec(rate);
  if (!parts) throw new Refusal("rate must be a whole number, optionally followed by /s, /m or /h");
  return { max: Number(parts[1]), durationMs: unitMs[(parts[2] ?? "s") as keyof typeof unitMs] };
}
