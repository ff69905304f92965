import { randomUUID } from "node:crypto";
import type { QueueNames } from "../../redis/names.ts";
import type { CommandContext, CommandHandler } from "../context/command-context.ts";
import { disabledKey, isJobScheduler, readKept } from "./schedules.ts";
import { describeSchedule, isReportable } from "./stream.ts";

const schedulersPerRead = 200;
const schedulersPerPart = 100;

/** Reports all job schedulers of all queues as one snapshot, including those that were disabled here. */
export const resyncSchedules: CommandHandler = async ({ id }, context) => {
  const schedules: Record<string, unknown>[] = [];
  for (const names of await context.knownQueues()) schedules.push(...(await schedulesOf(names, context)));
  const snapshotId = randomUUID();
  const parts = Math.max(Math.ceil(schedules.length / schedulersPerPart), 1);
  await context.reportSchedules(
    id,
    Array.from({ length: parts }, (_, index) => ({
      kind: "schedule.snapshot",
      data: {
        ...{ snapshot_id: snapshotId, part: index + 1, parts, reason: "command" },
        schedules: schedules.slice(index * schedulersPerPart, (index + 1) * schedulersPerPart),
      },
    })),
  );
  return { schedulers_drained: [context.settings.engine] };
};

async function schedulesOf(names: QueueNames, { queues, redis }: CommandContext) {
  const queue = await queues.open(names).catch(() => undefined);
  if (!queue) return [];
  const found: ReturnType<typeof describeSchedule>[] = [];
  const count = await queue.getJobSchedulersCount();
  for (let from = 0; from < count; from += schedulersPerRead) {
    const read = await queue.getJobSchedulers(from, from + schedulersPerRead - 1, true);
    for (const scheduler of read)
      if (scheduler && isJobScheduler(scheduler)) found.push(describeSchedule(names, scheduler, true));
  }
  const running = new Set(found.map((schedule) => schedule.external_id));
  for (const text of await redis.hvals(disabledKey(names))) {
    const kept = readKept(text);
    // The application may have created a disabled scheduler again.
    if (kept && !running.has(kept.key)) found.push(describeSchedule(names, kept, false));
  }
  return found.filter(({ external_id: key }) => isReportable(names, key));
}
