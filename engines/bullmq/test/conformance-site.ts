import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { EngineAdapter } from "@svc/agent";
import type { EngineUnderTest, Site, WorkerHandle, WorkerPlan } from "@svc/conformance";
import { schedulerCapabilityTokens } from "@svc/protocol";
import { startRedis, waitFor } from "@svc/testkit";
import { plainEnvironment } from "@svc/testkit/built-program";
import { Redis } from "ioredis";
import { queueCapabilities, workerCapabilities } from "../src/commands/executor.ts";
import { type WorkerPlan as AttachedPlan, attachBullmq, createBullmqAdapter } from "../src/index.ts";
import { type Major, startApplication } from "./applications.ts";
import type { AttachedProcess } from "./attached-process.ts";
import type { SampleProcess } from "./sample-process.ts";
import { sampleSettings, sampleTasks } from "./sample-tasks.ts";

/** `side-car`: separate from the application. `attached`: agent and workers share a process, except workers that are killed later. */
export type Attachment = "side-car" | "attached";

const attachedEntry = fileURLToPath(new URL("./attached-process.ts", import.meta.url));
const sampleEntry = fileURLToPath(new URL("./sample-process.ts", import.meta.url));
/** Keys that workers write constantly, or that the adapter writes as docs/reference/bullmq.md says. */
const notContents = /^bull:(svc-(lease|cursors|reply|schedule-stream)|[^:]+:stalled-check)/;

/** A tenth of the default, so that the suite does not wait for it. */
const schedulesEveryMs = 1000;

/** BullMQ's side of the conformance suite. */
export function bullmqUnderTest(major: Major, attachment: Attachment): EngineUnderTest {
  const controlsWorkers = attachment === "attached";
  return {
    title: `BullMQ ${major}, ${attachment}`,
    engine: "bullmq",
    advertises: [...queueCapabilities, ...schedulerCapabilityTokens, ...(controlsWorkers ? workerCapabilities : [])],
    cancelsRunning: controlsWorkers,
    reports: {
      beginning: ["task.sent", "task.received"],
      repeating: ["task.received"],
      afterCrash: ["task.received"],
    },
    requestsPerTask: 4,
    start: () => startSite(major, attachment),
  };
}

async function startSite(major: Major, attachment: Attachment): Promise<Site> {
  const server = await startRedis({ keeps: "everything" });
  const { url } = server;
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on("error", () => {}); // the suite stops the server on purpose
  const app = startApplication(major, url, "bull");
  const children = new Set<ChildProcess>();
  const runs = new Map<string, number>();
  const onRun = (taskId: string) => void runs.set(taskId, (runs.get(taskId) ?? 0) + 1);
  const scheduled: string[] = [];
  const eventsKey = (queue: string) => `bull:${queue}:events`;
  const placeOf = (taskId: string) => {
    const cut = taskId.indexOf(":");
    return [taskId.slice(0, cut), taskId.slice(cut + 1)] as const;
  };

  function startProcess(entry: string, input: object, onLine: (line: string) => void) {
    const child = spawn(process.execPath, ["--conditions=source", entry, JSON.stringify(input)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...plainEnvironment, HOME: process.env.HOME ?? "" },
    });
    children.add(child);
    let rest = "";
    child.stdout.on("data", (part) => {
      const lines = (rest + String(part)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    });
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  }

  /** Simulates expiry after ten seconds; a live holder takes its lease again. attached.test.ts waits for a real expiry. */
  async function endLeases(): Promise<void> {
    for (const lease of await redis.keys("bull:svc-lease:*")) await redis.del(lease);
  }

  async function startWorkerProcess({ isKilledLater = false, ...plan }: WorkerPlan): Promise<WorkerHandle> {
    const input: SampleProcess = { major, redis: url, isKilledLater, ...plan };
    let isReady = false;
    const child = startProcess(sampleEntry, input, (line) => {
      if (line === "ready") isReady = true;
      else if (line.startsWith("run ")) onRun(line.slice("run ".length));
    });
    await waitFor(() => isReady, { that: "a worker process" });
    return { kill: () => kill(child), starts: () => 1 };
  }

  const makes = new Map<string, number>();
  async function createWorker({ queue, name = "", concurrency }: Omit<AttachedPlan, "prefix">) {
    makes.set(name, (makes.get(name) ?? 0) + 1);
    return await app.worker(queue, sampleTasks(queue, onRun), { ...sampleSettings, name, concurrency });
  }

  async function startWorkerHere({ name, queues, concurrency }: WorkerPlan): Promise<WorkerHandle> {
    for (const queue of queues) await createWorker({ queue, name, concurrency });
    return {
      kill: () => Promise.reject(new Error("this worker is not mortal")),
      starts: () => (makes.get(name) ?? 0) / queues.length,
    };
  }

  const adapter = (): EngineAdapter =>
    attachment === "attached"
      ? attachBullmq({ redis: url, workers: app.workers, createWorker, schedulesEveryMs })
      : createBullmqAdapter({ redis: url, schedulesEveryMs });

  return {
    adapter,
    async startAgentProcess({ bufferPath, ...reporting }) {
      const input: AttachedProcess = {
        ...{ ...reporting, folder: bufferPath, redis: url, prefix: "bull", next: "work" },
        with: attachment === "attached" ? "attachBullmq" : "createBullmqAdapter",
      };
      let isReady = false;
      const child = startProcess(attachedEntry, input, (line) => {
        isReady ||= line === "ready";
      });
      await waitFor(() => isReady, { that: "an agent process" });
      return {
        async kill() {
          await kill(child);
          await endLeases();
        },
      };
    },
    startWorker: (plan) =>
      attachment === "attached" && !plan.isKilledLater ? startWorkerHere(plan) : startWorkerProcess(plan),
    async submit({ queue, name, input = {}, attempts = 1, pauseMs, delayMs }) {
      const backoff = pauseMs === undefined ? {} : { backoff: { type: "fixed", delay: pauseMs } };
      const delay = delayMs === undefined ? {} : { delay: delayMs };
      const job = await app.queue(queue).add(name, input, { attempts, ...backoff, ...delay });
      return `${queue}:${job.id}`;
    },
    runsOf: (taskId) => runs.get(taskId) ?? 0,
    async hasEnded(taskId) {
      const [queue, jobId] = placeOf(taskId);
      const scores = await Promise.all(
        ["completed", "failed"].map((set) => redis.zscore(`bull:${queue}:${set}`, jobId)),
      );
      return scores.some((score) => score !== null);
    },
    pause: (queue) => app.queue(queue).pause(),
    resume: (queue) => app.queue(queue).resume(),
    server: { kill: () => server.kill(), restart: () => server.restart() },
    async eventsWritten(queue) {
      const info = (await redis.xinfo("STREAM", eventsKey(queue))) as unknown[];
      return Number(info[info.indexOf("entries-added") + 1]);
    },
    async loseEvents(queue) {
      await redis.xtrim(eventsKey(queue), "MAXLEN", 0);
    },
    async failAtOnce(queue, count) {
      const input = { message: "no luck" };
      const jobs = await Promise.all(Array.from({ length: count }, () => app.queue(queue).add("fail", input)));
      const ids = jobs.map(({ id = "" }) => id);
      const failed = `bull:${queue}:failed`;
      await waitFor(async () => (await redis.zcard(failed)) >= count);
      await redis.zadd(failed, ...ids.flatMap((id) => [Date.now() - 1000, id]));
      return ids.map((id) => `${queue}:${id}`);
    },
    async addSchedule(queue) {
      const id = `yearly-${scheduled.length}`;
      await app.queue(queue).schedule(id, { pattern: "0 3 1 1 *" }, { name: "echo" });
      scheduled.push(queue);
      return `${queue}:${id}`;
    },
    async removeSchedule(name) {
      const [queue, id] = placeOf(name);
      await app.queue(queue).unschedule(id);
    },
    async activeSchedules() {
      const found: string[] = [];
      for (const queue of new Set(scheduled))
        for (const id of Object.keys(await app.queue(queue).schedulers())) found.push(`${queue}:${id}`);
      return found;
    },
    rateTarget: (queue) => queue,
    unknownTask: (queue) => `${queue}:no-such-job`,
    async contents() {
      const keys = (await redis.keys("*")).filter((key) => !notContents.test(key)).sort();
      return Object.fromEntries(
        await Promise.all(keys.map(async (key) => [key, await contentOf(redis, key)] as const)),
      );
    },
    async requests() {
      return Number(/total_commands_processed:(\d+)/.exec(await redis.info("stats"))?.[1]);
    },
    async adapterConnections() {
      return String(await redis.client("LIST")).match(/ name=svc-/g)?.length ?? 0;
    },
    async stop() {
      for (const child of [...children]) await kill(child);
      await app.close();
      redis.disconnect();
      await server.stop();
    },
  };
}

/** Watching may change only the cap of an event stream. */
async function contentOf(redis: Redis, key: string): Promise<string> {
  if (!key.endsWith(":meta")) return (await redis.dumpBuffer(key))?.toString("base64") ?? "";
  const { "opts.maxLenEvents": _cap, ...meta } = await redis.hgetall(key);
  return JSON.stringify(Object.entries(meta).sort());
}
