import { isJsonObject } from "@svc/protocol";
import type { JobSchedulerJson } from "bullmq6";
import { msOrUndefined, parseObject } from "../jobs/job-hash.ts";
import type { QueueNames } from "../redis/names.ts";

/** A job scheduler as Redis holds it, either in BullMQ's own keys or, while it is disabled, in the hash of this adapter. */
export interface StoredScheduler {
  readonly key: string;
  readonly isEnabled: boolean;
  readonly jobName: string;
  readonly pattern: string | undefined;
  readonly every: number | undefined;
  readonly tz: string | undefined;
  /** When its next job is due. */
  readonly nextMs: number | undefined;
  /** Number of jobs that have been due. */
  readonly runs: number;
  /** When its last job started, if its next job shows it. */
  readonly lastMs?: number;
  readonly limit: number | undefined;
  readonly endMs: number | undefined;
  /** JSON of the job's data. */
  readonly data: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Scores are the times of the next jobs. */
export const repeatKey = ({ keyBase }: QueueNames) => `${keyBase}repeat`;
/** Definitions of the schedulers that were disabled here, by id. */
export const disabledKey = ({ keyBase }: QueueNames) => `${keyBase}svc-disabled-schedulers`;

/** Fields of the hash of a job scheduler, in the order in which `storedOf` takes their values. */
export const schedulerFields = ["name", "ic", "pattern", "every", "tz", "limit", "endDate", "data", "opts"] as const;

/**
 * Undefined for the older repeatable jobs of BullMQ 5, which it keeps in the same place. They have no count of iterations, and can be neither
 * restored nor identified by their id alone.
 */
export function storedOf(
  key: string,
  nextMs: number,
  values: readonly (string | null)[],
  nextJob: readonly (string | null)[],
): StoredScheduler | undefined {
  const [name, count, pattern, every, tz, limit, endDate, data, opts] = values.map((value) => value ?? undefined);
  if (count === undefined) return undefined;
  const lastMs = startOfLast(nextJob);
  return {
    ...{ key, isEnabled: true, jobName: name || key, pattern, tz, data, nextMs },
    every: msOrUndefined(every),
    // BullMQ counts the pending job too.
    runs: Math.max((msOrUndefined(count) ?? 0) - 1, 0),
    limit: msOrUndefined(limit),
    endMs: msOrUndefined(endDate),
    options: parseObject(opts),
    ...(lastMs !== undefined && { lastMs }),
  };
}

/** Fields of a scheduler's next job, in the order in which `storedOf` takes their values. */
export const nextJobFields = ["timestamp", "opts"] as const;

/** BullMQ adds the next job when the last one starts. Undefined for a job that it added with the scheduler, which is number 1. */
function startOfLast([timestamp, opts]: readonly (string | null)[]): number | undefined {
  const { repeat } = parseObject(opts ?? undefined);
  const isFollowing = isJsonObject(repeat) && Number(repeat.count) > 1;
  return isFollowing ? msOrUndefined(timestamp ?? undefined) : undefined;
}

export function storedOfKept({ key, name, template, ...kept }: KeptScheduler): StoredScheduler {
  return {
    ...{ key, isEnabled: false, jobName: name || key, nextMs: undefined, runs: kept.iterationCount ?? 0 },
    ...{ pattern: kept.pattern, every: kept.every, tz: kept.tz, limit: kept.limit, endMs: kept.endDate },
    data: template?.data === undefined ? undefined : JSON.stringify(template.data),
    options: { ...template?.opts },
  };
}

/** The definition of a disabled scheduler. Its count of iterations is that of the jobs that have been due. */
export type KeptScheduler = JobSchedulerJson;

/** Undefined when the text is not a definition. */
export function readKept(text: string): KeptScheduler | undefined {
  const kept = parseObject(text);
  return typeof kept.key === "string" && typeof kept.name === "string" ? (kept as unknown as KeptScheduler) : undefined;
}
