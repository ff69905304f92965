import type { CommandHandler } from "./context.ts";
import { readText } from "./parameters.ts";
import { Refusal } from "./refusal.ts";

/** `queue.remove` in numbers. */
const removal = { done: 1, locked: 0, ofScheduler: -8 } as const;

/**
 * Takes a job that has not begun out of its queue, with the children that it waits for. The state is looked at first, because BullMQ
 * would also remove the record of a job that has ended; its own script refuses the job that began in between.
 */
export const cancelTask: CommandHandler = async ({ parameters }, { addresses, queues }) => {
  const { names, jobId, taskId } = await addresses.job(readText(parameters, "task_id"));
  const queue = await queues.open(names);
  const state = await queue.getJobState(jobId);
  if (state === "unknown") throw new Refusal(`Redis holds no job for ${taskId}`);
  if (state === "completed" || state === "failed") throw new Refusal(`${taskId} has ended: it is ${state}`);
  const code = state === "active" ? removal.locked : await queue.remove(jobId);
  if (code === removal.ofScheduler)
    throw new Refusal(`${taskId} is the next job of a job scheduler: disable the scheduler instead`);
  if (code === removal.locked) throw new Refusal(await whyLocked());
  return {};

  async function whyLocked(): Promise<string> {
    if ((await queue.getJobState(jobId)) === "waiting-children")
      return `${taskId} waits for children, and one of them is running`;
    return `${taskId} is running: from outside of its process a running job cannot be cancelled`;
  }
};
