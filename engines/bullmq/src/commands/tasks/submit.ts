import type { Command } from "@svc/agent";
import type { Priority, PriorityTable } from "../../options.ts";
import type { CommandContext, CommandHandler } from "../context/command-context.ts";
import { addJob, addJobOnce, dataOf } from "../context/new-job.ts";
import { readInstant, readOptionalText, readText } from "../context/parameters.ts";
import { Refusal } from "../context/refusal.ts";

const priorities: ReadonlySet<string> = new Set<Priority>(["critical", "high", "normal", "low"]);
/** BullMQ's own limit. */
const mostPriority = 2 ** 21;

/** Adds a job to an existing queue. The same command adds one job even when it is carried out twice. */
export const submitTask: CommandHandler = async ({ id, parameters }, context) => {
  const { queue, names, ...job } = await readJob(parameters, readText(parameters, "name"), context);
  return await addJob(queue, names, { ...job, jobId: `svc-${id}` });
};

/** Like submitting a task; the job id derives from the fire's id, so that a fire that is sent again adds no second job. */
export const fireSchedule: CommandHandler = async ({ parameters, timeoutSeconds }, context) => {
  const jobId = `svc-fire-${readText(parameters, "fire_id").replaceAll(":", "_")}`;
  const { queue, names, ...job } = await readJob(parameters, readText(parameters, "task_name"), context);
  return await addJobOnce(context.redis, queue, names, { job: { ...job, jobId }, timeoutSeconds });
};

async function readJob(
  parameters: Command["parameters"],
  name: string,
  { addresses, queues, settings }: CommandContext,
) {
  const label = readOptionalText(parameters, "queue");
  if (label === undefined) throw new Refusal("queue is required: BullMQ has no default queue");
  const { args, kwargs } = readInputs(parameters);
  const etaMs = readInstant(parameters, "eta");
  const priority = numberOf(readOptionalText(parameters, "priority"), settings.priorities);
  const names = addresses.queue(label);
  const queue = await queues.open(names);
  const options = priority > 0 ? { priority } : {};
  return { queue, names, name, data: dataOf(args, kwargs), options, etaMs };
}

function readInputs({ args, kwargs }: Command["parameters"]) {
  const list = args ?? [];
  const named = kwargs ?? {};
  if (!Array.isArray(list) || typeof named !== "object" || Array.isArray(named))
    throw new Refusal("args must be a list and kwargs an object");
  return { args: list as unknown[], kwargs: named as Record<string, unknown> };
}

/** The BullMQ number for this priority: the `upTo` of its first row, or a number beyond the table for low. */
function numberOf(priority: string | undefined, table: PriorityTable): number {
  if (priority === undefined) return 0;
  if (!priorities.has(priority)) throw new Refusal(`priority must be one of ${[...priorities].join(", ")}`);
  const row = table.find((candidate) => candidate.priority === (priority as Priority));
  return Math.min(row ? row.upTo : (table.at(-1)?.upTo ?? 0) + 1, mostPriority);
}
