import { randomUUID } from "node:crypto";
import * as bullmq5 from "bullmq5";
import * as bullmq6 from "bullmq6";

/** The parts of BullMQ that the tests use, the same for both major versions. */
export interface JobHandle {
  readonly id?: string | undefined;
}

export interface ApplicationQueue {
  add(name: string, data: unknown, options?: Record<string, unknown>): Promise<JobHandle>;
  remove(jobId: string): Promise<number>;
  /** Ids of its unfinished jobs. */
  ids(): Promise<readonly (string | undefined)[]>;
  retry(jobId: string, options?: { readonly resetAttemptsMade?: boolean }): Promise<void>;
  promote(jobId: string): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  limit(most: number, durationMs: number): Promise<void>;
  stopFor(durationMs: number): Promise<void>;
  obliterate(): Promise<void>;
  /** BullMQ's job schedulers by id. */
  schedulers(): Promise<Readonly<Record<string, Scheduler>>>;
  schedule(
    id: string,
    rhythm: Rhythm,
    job: { readonly name: string; readonly data?: unknown; readonly opts?: object },
  ): Promise<void>;
  unschedule(id: string): Promise<void>;
}

export type Rhythm = Pick<bullmq6.JobSchedulerJson, "pattern" | "every" | "tz" | "limit" | "endDate">;
export type Scheduler = bullmq6.JobSchedulerJson;

export type Processor = (
  job: {
    id?: string | undefined;
    name: string;
    data: unknown;
    attemptsMade: number;
    attemptsStarted: number;
    updateProgress(progress: number): Promise<void>;
    moveToDelayed(untilMs: number, token?: string): Promise<void>;
  },
  token?: string,
  signal?: AbortSignal,
) => Promise<unknown>;

export interface WorkerSettings {
  readonly name?: string;
  readonly concurrency?: number;
  readonly limiter?: { readonly max: number; readonly duration: number };
  readonly maximumRateLimitDelay?: number;
  readonly lockDuration?: number;
  readonly lockRenewTime?: number;
  readonly stalledInterval?: number;
  readonly maxStalledCount?: number;
}

export interface FlowNode {
  readonly name: string;
  readonly queueName: string;
  readonly data?: unknown;
  readonly opts?: Record<string, unknown>;
  readonly children?: readonly FlowNode[];
}

/** An application that uses one major version of BullMQ under its own key prefix. */
export interface Application {
  readonly prefix: string;
  /** The workers started so far. */
  readonly workers: readonly bullmq6.Worker[];
  /** The error that a processor throws to delay its job. */
  readonly putOff: { afterDelay(): Error; byRateLimit(): Error };
  queue(name: string): ApplicationQueue;
  worker(queue: string, processor: Processor, settings?: WorkerSettings): Promise<bullmq6.Worker>;
  addFlow(root: FlowNode): Promise<void>;
  close(): Promise<void>;
}

const majors = { "5": bullmq5 as unknown as typeof bullmq6, "6": bullmq6 };
export const bullmqMajors = ["5", "6"] as const;
export type Major = (typeof bullmqMajors)[number];

/** A prefix that no other test of any run uses. */
export function freshPrefix(): string {
  return `t-${randomUUID()}`;
}

export function startApplication(major: Major, redisUrl: string, prefix = freshPrefix()): Application {
  const { Queue, Worker, FlowProducer, DelayedError } = majors[major];
  const { hostname, port, pathname } = new URL(redisUrl);
  const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1)), maxRetriesPerRequest: null };
  const shared = { connection, prefix };
  const open: { close(): Promise<unknown> }[] = [];
  const queues = new Map<string, ApplicationQueue>();
  const workers: bullmq6.Worker[] = [];
  const keep = <T extends { close(): Promise<unknown>; on(event: "error", listener: () => void): unknown }>(
    opened: T,
  ): T => {
    opened.on("error", () => {}); // tests stop Redis on purpose
    open.push(opened);
    return opened;
  };
  return {
    prefix,
    workers,
    putOff: { afterDelay: () => new DelayedError(), byRateLimit: () => Worker.RateLimitError() },
    queue(name) {
      const existing = queues.get(name);
      if (existing) return existing;
      const queue = keep(new Queue(name, shared));
      const handle: ApplicationQueue = {
        add: (job, data, options) => queue.add(job, data, options),
        remove: (jobId) => queue.remove(jobId),
        ids: async () => (await queue.getJobs(["waiting", "prioritized", "delayed"])).map(({ id }) => id),
        retry: async (jobId, options) => (await queue.getJob(jobId))?.retry("failed", options),
        promote: async (jobId) => (await queue.getJob(jobId))?.promote(),
        pause: () => queue.pause(),
        resume: () => queue.resume(),
        limit: async (most, durationMs) => void (await queue.setGlobalRateLimit(most, durationMs)),
        stopFor: (durationMs) => queue.rateLimit(durationMs),
        obliterate: () => queue.obliterate({ force: true }),
        async schedulers() {
          const found = await queue.getJobSchedulers();
          return Object.fromEntries(found.map((scheduler) => [scheduler.key, scheduler]));
        },
        async schedule(id, rhythm, job) {
          await queue.upsertJobScheduler(id, rhythm, job as never);
        },
        unschedule: async (id) => void (await queue.removeJobScheduler(id)),
      };
      queues.set(name, handle);
      return handle;
    },
    async worker(name, processor, settings = {}) {
      const worker = keep(new Worker(name, processor as never, { ...shared, ...settings }));
      workers.push(worker);
      await worker.waitUntilReady();
      return worker;
    },
    async addFlow(root) {
      await keep(new FlowProducer(shared)).add(root as never);
    },
    async close() {
      await Promise.all(open.splice(0).map((opened) => opened.close()));
    },
  };
}
