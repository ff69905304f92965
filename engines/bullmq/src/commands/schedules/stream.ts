import type { EventSink } from "@svc/agent";
import { type EventRecord, sidecarEventId } from "@svc/protocol";
import type { JobSchedulerJson } from "bullmq6";
import type { Redis } from "ioredis";
import { iso } from "../../events/task-events.ts";
import type { Settings } from "../../options.ts";
import { type QueueNames, taskIdOf } from "../../redis/names.ts";
import { replyValue } from "../../redis/pipeline.ts";

export interface ToldSchedules {
  readonly kind: "schedule.snapshot" | "schedule.updated" | "schedule.deleted";
  readonly data: Readonly<Record<string, unknown>>;
}

/** Tells what is known of job schedulers, in order. What it tells of must have been read before. */
export type TellSchedules = (commandId: string, told: readonly ToldSchedules[]) => Promise<void>;

/**
 * Events about schedulers have positions, and of two the later one counts (spec part 3, section 7.9). The position is counted in Redis,
 * because every process of an application may carry a command out: `epoch` is when counting began, also after Redis lost it.
 */
export function createScheduleStream(redis: Redis, settings: Settings, sink: EventSink): TellSchedules {
  const { engine, prefixes } = settings;
  const key = `${[...prefixes].sort()[0]}:svc-schedule-stream`;
  return async (commandId, told) => {
    const counting = redis.pipeline().hsetnx(key, "epoch", Date.now()).hincrby(key, "sequence", told.length);
    const [, last, counted] = (await counting.hget(key, "epoch").exec()) ?? [];
    const epoch = Number(replyValue(counted));
    const before = Number(replyValue(last)) - told.length;
    const now = iso(Date.now());
    sink.emit(
      told.map(({ kind, data }, index): EventRecord => {
        const nativeId = `${commandId}/${index}`;
        return {
          id: sidecarEventId({ engine, source: "schedulers", nativeId, taskId: "", kind }),
          ...{ kind, engine, task_id: "", occurred_at: now },
          data: { scheduler: engine, stream: { epoch, sequence: before + index + 1 }, ...data },
        };
      }),
    );
  };
}

const longestName = 200;

/** False for a scheduler whose name is too long to be told. */
export function isTellable(names: QueueNames, key: string): boolean {
  return taskIdOf(names, key).length <= longestName;
}

export function describeSchedule(names: QueueNames, scheduler: JobSchedulerJson, isEnabled: boolean) {
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
