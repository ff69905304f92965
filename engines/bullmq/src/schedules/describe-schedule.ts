import type { MirroredSchedule } from "@svc/agent";
import { isJsonObject } from "@svc/protocol";
import { iso } from "../events/task-events.ts";
import { readPayload } from "../jobs/payload.ts";
import { type PriorityTable, priorityOf } from "../options.ts";
import { type QueueNames, taskIdOf } from "../redis/names.ts";
import { expressionOf } from "./expression.ts";
import type { StoredScheduler } from "./stored-scheduler.ts";

const longestName = 200;
const longestTaskName = 500;
/** The service keeps at most 64 KiB of inputs, and a character has up to three bytes. */
const longestDataChars = 16_384;

/** False for a scheduler whose name is too long to report. */
export function isReportable(names: QueueNames, key: string): boolean {
  return taskIdOf(names, key).length <= longestName && names.label.length <= longestName;
}

/** A job scheduler in svc's terms. Its name is `<queue>:<its id>`. */
export function describeSchedule(
  names: QueueNames,
  scheduler: StoredScheduler,
  priorities: PriorityTable,
): MirroredSchedule {
  const { key, isEnabled, jobName, pattern, every, tz, nextMs, runs, data } = scheduler;
  const value = readPayload(data, longestDataChars) ?? {};
  const isObject = isJsonObject(value);
  const isOver = hasEnded(scheduler);
  const lastMs = lastRunOf(scheduler, isOver);
  return {
    ...{ name: taskIdOf(names, key), external_id: key, task_name: jobName.slice(0, longestTaskName) },
    ...expressionOf({ ...(pattern !== undefined && { pattern }), ...(every !== undefined && { every }) }),
    timezone: tz ?? "UTC",
    queue: names.label,
    priority: priorityOf(Number(scheduler.options.priority ?? 0) || 0, priorities),
    args: isObject ? [] : [value],
    kwargs: isObject ? value : {},
    is_enabled: isEnabled,
    total_runs: isOver ? runs + 1 : runs,
    ...(lastMs !== undefined && { last_run_at: iso(lastMs) }),
    ...(isEnabled && nextMs !== undefined && !isOver && { next_run_at: iso(nextMs) }),
  };
}

function lastRunOf({ nextMs, every, runs, lastMs }: StoredScheduler, isOver: boolean): number | undefined {
  // A scheduler that is over keeps its last job as the next one.
  if (isOver) return nextMs;
  if (every === undefined) return lastMs;
  return nextMs !== undefined && runs > 0 ? nextMs - every : undefined;
}

/** BullMQ keeps a scheduler that has reached its end or its limit, with the time of its last job. */
function hasEnded({ isEnabled, nextMs, limit, endMs, runs }: StoredScheduler): boolean {
  const now = Date.now();
  if (!isEnabled || nextMs === undefined || nextMs > now) return false;
  return (endMs !== undefined && endMs < now) || (limit !== undefined && runs + 1 >= limit);
}
