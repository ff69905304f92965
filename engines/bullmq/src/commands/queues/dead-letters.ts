import { createRedactor, taskIdCharacters } from "@svc/protocol";
import type { Redis } from "ioredis";
import { iso } from "../../events/task-events.ts";
import { type QueueNames, taskIdOf } from "../../redis/names.ts";
import { askEach } from "../../redis/pipeline.ts";
import type { CommandHandler } from "../context/command-context.ts";
import { readCount, readOptionalText } from "../context/parameters.ts";
import { Refusal } from "../context/refusal.ts";

const mostEntries = 200;
const longestCursor = 2048;
const excerptCharacters = 512;
/** Error messages may be long: this limits how many are in memory at once. */
const jobsPerRead = 20;

const redactor = createRedactor();

/**
 * A page of failed jobs, newest first, of one queue or of all watched queues. Nothing is moved. Pages are ordered by time, queue and job
 * id, so jobs that fail or disappear in between neither shift nor repeat an entry. A job whose task id is too long to report counts in
 * the total only.
 */
export const listDeadLetters: CommandHandler = async ({ parameters, target }, context) => {
  const limit = readCount({ limit: 100, ...parameters }, "limit", { least: 1, most: mostEntries });
  const label = readOptionalText(parameters, "queue") ?? readOptionalText(target, "id");
  const after = readPosition(parameters.cursor);
  const queues = label === undefined ? await context.knownQueues() : [context.addresses.queue(label)];
  const { redis, settings } = context;
  const found = await newest(redis, queues, after, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    entries: await describe(redis, page),
    next_cursor: found.length > limit && last ? writeCursor(last) : null,
    total: await countFailed(redis, queues),
    engine: settings.engine,
  };
};

interface FailedJob {
  readonly names: QueueNames;
  readonly jobId: string;
  readonly failedMs: number;
}

/** The last entry of a page of dead letters. */
interface DeadLetterPosition {
  /** When it failed, in Unix milliseconds. */
  readonly failedMs: number;
  /** `bull:emails` */
  readonly source: string;
  readonly jobId: string;
}

const writeCursor = ({ failedMs, names, jobId }: FailedJob): string =>
  Buffer.from(JSON.stringify([failedMs, names.source, jobId])).toString("base64url");

/** @throws Refusal whose message begins with `invalid_cursor`. */
function readPosition(cursor: unknown): DeadLetterPosition | undefined {
  if (cursor === undefined || cursor === null || cursor === "") return undefined;
  if (typeof cursor !== "string" || cursor.length > longestCursor)
    throw new Refusal(`invalid_cursor: must be at most ${longestCursor} characters`);
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const [failedMs, source, jobId] = Array.isArray(parts) && parts.length === 3 ? parts : [];
    if (Number.isFinite(failedMs) && typeof source === "string" && typeof jobId === "string")
      return { failedMs, source, jobId };
  } catch {
    // reported below
  }
  throw new Refusal("invalid_cursor: not a cursor of this list");
}

/** Merges the failed sets of all queues; reads no more of each than the page may need. */
async function newest(
  redis: Redis,
  queues: readonly QueueNames[],
  after: DeadLetterPosition | undefined,
  count: number,
): Promise<readonly FailedJob[]> {
  const atOnce = queues.length === 1 ? count : Math.min(count, Math.max(4, Math.ceil((2 * count) / queues.length)));
  const runs = await Promise.all(
    queues.map(async (names) => {
      const jobs = await readFailed(redis, names, placeIn(names, after), atOnce);
      return { names, jobs, at: 0, isLast: jobs.length < atOnce };
    }),
  );
  const merged: FailedJob[] = [];
  while (merged.length < count) {
    let best: (typeof runs)[number] | undefined;
    for (const run of runs) {
      const job = run.jobs[run.at];
      const bestJob = best?.jobs[best.at];
      if (job && (!bestJob || isBefore(job, bestJob))) best = run;
    }
    const job = best?.jobs[best.at];
    if (!best || !job) break;
    merged.push(job);
    best.at += 1;
    if (best.at < best.jobs.length || best.isLast) continue;
    best.jobs = await readFailed(redis, best.names, { failedMs: job.failedMs, beforeId: job.jobId }, atOnce);
    best.at = 0;
    best.isLast = best.jobs.length < atOnce;
  }
  return merged;
}

function isBefore(one: FailedJob, other: FailedJob): boolean {
  return one.failedMs !== other.failedMs ? one.failedMs > other.failedMs : one.names.source < other.names.source;
}

/** The highest score to read, and the id that jobs with exactly that score must follow; "" excludes all of them. */
interface Place {
  readonly failedMs: number;
  readonly beforeId: string | undefined;
}

/** At the cursor's time, queues earlier in the order are already listed, later ones are not. */
function placeIn({ source }: QueueNames, after: DeadLetterPosition | undefined): Place {
  if (!after) return { failedMs: Number.POSITIVE_INFINITY, beforeId: undefined };
  if (source === after.source) return { failedMs: after.failedMs, beforeId: after.jobId };
  return { failedMs: after.failedMs, beforeId: source < after.source ? "" : undefined };
}

/** Redis orders members with the same score by their bytes. */
const compareIds = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

async function readFailed(redis: Redis, names: QueueNames, place: Place, count: number): Promise<FailedJob[]> {
  const { failedMs, beforeId } = place;
  const highest = failedMs === Number.POSITIVE_INFINITY ? "+inf" : beforeId === "" ? `(${failedMs}` : String(failedMs);
  const found: FailedJob[] = [];
  for (let offset = 0; found.length < count; offset += count) {
    const key = `${names.keyBase}failed`;
    const reply = await redis.zrevrangebyscore(key, highest, "-inf", "WITHSCORES", "LIMIT", offset, count);
    for (let at = 0; at < reply.length && found.length < count; at += 2) {
      const job = { names, jobId: String(reply[at]), failedMs: Number(reply[at + 1]) };
      const isListed = beforeId !== undefined && job.failedMs === failedMs && compareIds(job.jobId, beforeId) >= 0;
      if (!isListed && taskIdOf(names, job.jobId).length <= taskIdCharacters) found.push(job);
    }
    if (reply.length < 2 * count) break;
  }
  return found;
}

async function describe(redis: Redis, jobs: readonly FailedJob[]): Promise<readonly Record<string, unknown>[]> {
  const entries: Record<string, unknown>[] = [];
  for (let from = 0; from < jobs.length; from += jobsPerRead) {
    const part = jobs.slice(from, from + jobsPerRead);
    const answers = await askEach(redis, part, (pipeline, { names, jobId }) =>
      pipeline.hmget(names.keyBase + jobId, "name", "atm", "failedReason"),
    );
    for (const [index, { names, jobId, failedMs }] of part.entries()) {
      const [name, attempts, failedReason] = answers[index] as readonly (string | null)[];
      entries.push({
        task_id: taskIdOf(names, jobId),
        task_name: name,
        queue: names.label,
        failed_at: failedMs > 0 ? iso(failedMs) : null,
        error_excerpt: redactor.redact((failedReason ?? "").slice(-excerptCharacters).toWellFormed()),
        attempts: attempts ? Number(attempts) : null,
      });
    }
  }
  return entries;
}

async function countFailed(redis: Redis, queues: readonly QueueNames[]): Promise<number> {
  const counts = await askEach(redis, queues, (pipeline, { keyBase }) => pipeline.zcard(`${keyBase}failed`));
  return counts.reduce<number>((sum, count) => sum + Number(count), 0);
}
