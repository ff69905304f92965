import { randomUUID } from "node:crypto";
import type { EventSink } from "@svc/agent";
import { type EventRecord, sidecarEventId } from "@svc/protocol";
import type { JobSchedulerJson } from "bullmq6";
import { type QueueNames, taskIdOf } from "../names.ts";
import { iso } from "../task-events.ts";
import type { CommandContext, CommandHandler } from "./context.ts";
import { disabledKey, isJobScheduler, readKept } from "./schedules.ts";

const schedulersPerRead = 200;
const schedulersPerPart = 100;
const longestName = 200;

/** Tells all job schedulers of all queues, also those that were disabled here, as one snapshot (spec part 3, section 7.9). */
export function createScheduleResync(sink: EventSink): CommandHandler {
  const epoch = Date.now();
  let sequence = 0;

  return async function resync({ id }, context) {
    const schedules: Record<string, unknown>[] = [];
    for (const names of await context.knownQueues()) schedules.push(...(await schedulesOf(names, context)));
    const { engine } = context.settings;
    const snapshotId = randomUUID();
    const parts = Math.max(Math.ceil(schedules.length / schedulersPerPart), 1);
    const now = iso(Date.now());
    const events = Array.from({ length: parts }, (_, index): EventRecord => {
      sequence += 1;
      const kind = "schedule.snapshot";
      return {
        id: sidecarEventId({ engine, source: "schedulers", nativeId: `${id}/${index}`, taskId: "", kind }),
        ...{ kind, engine, task_id: "", occurred_at: now },
        data: {
          scheduler: engine,
          stream: { epoch, sequence },
          ...{ snapshot_id: snapshotId, part: index + 1, parts, reason: "command" },
          schedules: schedules.slice(index * schedulersPerPart, (index + 1) * schedulersPerPart),
        },
      };
    });
    sink.emit(events);
    return { schedulers_drained: [engine] };
  };
}

async function schedulesOf(names: QueueNames, { queues, redis }: CommandContext) {
  const queue = await queues.open(names).catch(() => undefined);
  if (!queue) return [];
  const found: Record<string, unknown>[] = [];
  const count = await queue.getJobSchedulersCount();
  for (let from = 0; from < count; from += schedulersPerRead) {
    const read = await queue.getJobSchedulers(from, from + schedulersPerRead - 1, true);
    for (const scheduler of read)
      if (scheduler && isJobScheduler(scheduler)) found.push(describe(names, scheduler, true));
  }
  for (const text of await redis.hvals(disabledKey(names))) {
    const kept = readKept(text);
    // One that the application has made anew in the meantime runs.
    if (kept && !found.some((running) => running.external_id === kept.key)) found.push(describe(names, kept, false));
  }
  return found.filter(({ name }) => String(name).length <= longestName);
}

function describe(names: QueueNames, scheduler: JobSchedulerJson, isEnabled: boolean): Record<string, unknown> {
  const { key, name, pattern, every = 0, tz, next, iterationCount, template } = scheduler;
  const data: unknown = template?.data ?? {};
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  return {
    name: taskIdOf(names, key),
    external_id: key,
    task_name: name,
    ...(pattern === undefined
      ? { kind: "interval", expression: String(Math.max(Math.round(every / 1000), 1)) }
      : { kind: "cron", expression: secondsLast(pattern) }),
    timezone: tz ?? "UTC",
    queue: names.label,
    args: isObject ? [] : [data],
    kwargs: isObject ? data : {},
    is_enabled: isEnabled,
    total_runs: iterationCount ?? 0,
    ...(isEnabled && next !== undefined && { next_run_at: iso(next) }),
  };
}

/** Of six fields, BullMQ's patterns have the seconds first and ours have them last. */
function secondsLast(pattern: string): string {
  const [first = "", ...others] = pattern.trim().split(/\s+/);
  return others.length === 5 ? [...others, first].join(" ") : pattern;
}
