import type { EventSink } from "@svc/agent";
import { type EventRecord, sidecarEventId } from "@svc/protocol";
import type { JobSchedulerJson } from "bullmq6";
import type { Redis } from "ioredis";
import { iso } from "../../events/task-events.ts";
import type { Settings } from "../../options.ts";
import { type QueueNames, taskIdOf } from "../../redis/names.ts";
import { replyValue } from "../../redis/pipeline.ts";

export interface ScheduleReport {
  readonly kind: "schedule.snapshot" | "schedule.updated" | "schedule.deleted";
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reports job schedulers in order. The caller must read their state before the call. */
export type ReportSchedules = (commandId: string, reports: readonly ScheduleReport[]) => Promise<void>;

/**
 * Events about schedulers have positions; the highest one applies. The position is counted in Redis, because any process of an application
 * may carry out a command. `epoch` is when counting began, or began again after Redis lost its data.
 */
export function createScheduleStream(redis: Redis, settings: Settings, sink: EventSink): ReportSchedules {
  const { engine, prefixes } = settings;
  const key = `${[...prefixes].sort()[0]}:svc-schedule-stream`;
  return async (commandId, reports) => {
    const counting = redis.pipeline().hsetnx(key, "epoch", Date.now()).hincrby(key, "sequence", reports.length);
    const [, last, counted] = (await counting.hget(key, "epoch").exec()) ?? [];
    const epoch = Number(replyValue(counted));
    const before = Number(replyValue(last)) - reports.length;
    const now = iso(Date.now());
    sink.emit(
      reports.map(({ kind, data }, index): EventRecord => {
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

/** False for a scheduler whose name is too long to report. */
export function isReportable(names: QueueNames, key: string): boolean {
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

/** In a pattern of six fields, BullMQ has the seconds first and svc has them last. */
function secondsLast(pattern: string): string {
  const [first = "", ...others] = pattern.trim().split(/\s+/);
  return others.length === 5 ? [...others, first].join(" ") : pattern;
}
