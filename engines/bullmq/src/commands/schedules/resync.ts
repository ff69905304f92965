import type { CommandHandler } from "../context/command-context.ts";

/** Reports all job schedulers of all queues as one snapshot, including those that were disabled here. */
export const resyncSchedules: CommandHandler = async (_, { schedules }) => {
  await schedules.resync();
  return { schedulers_drained: [schedules.name] };
};
