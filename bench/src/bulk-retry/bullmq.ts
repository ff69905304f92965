import { startRedis } from "@svc/testkit";
import { Queue, UnrecoverableError, Worker } from "bullmq6";
import { startSidecarOf } from "../bullmq/bench-sidecar.ts";
import type { BenchBrain } from "../harness/processes.ts";

const prefix = "bench";
const jobsPerStatement = 1000;
const jobsAtOnce = 100;
const eventsKept = 200_000;

/** A Redis with the real side-car. */
export async function startBullmq(brain: BenchBrain, bufferPath: string) {
  const server = await startRedis();
  const sidecar = await startSidecarOf(brain, { redis: server.url, prefix, bufferPath });
  const { hostname, port } = new URL(server.url);
  return {
    shared: { connection: { host: hostname, port: Number(port), maxRetriesPerRequest: null }, prefix },
    sidecar,
    async stop(): Promise<void> {
      sidecar.stop();
      await server.stop();
    },
  };
}

/**
 * Adds jobs, lets a worker fail all of them, and waits until the brain has all failures. The queue has no worker afterwards.
 *
 * @returns the queue's name in the brain.
 */
export async function failJobs(
  { shared, sidecar }: Awaited<ReturnType<typeof startBullmq>>,
  name: string,
  count: number,
): Promise<string> {
  // A stream cap for all events, so that none has to be rebuilt.
  const queue = new Queue(name, { ...shared, streams: { events: { maxLen: eventsKept } } });
  const worker = new Worker(
    name,
    () => {
      throw new UnrecoverableError("the mail server is down");
    },
    { ...shared, concurrency: jobsAtOnce },
  );
  let failed = 0;
  const all = new Promise<void>((resolve) => {
    worker.on("failed", () => {
      failed += 1;
      if (failed === count) resolve();
    });
  });
  await worker.waitUntilReady();
  for (let added = 0; added < count; added += jobsPerStatement) {
    const some = Math.min(jobsPerStatement, count - added);
    await queue.addBulk(Array.from({ length: some }, (_, index) => ({ name: "mail", data: { to: added + index } })));
  }
  await all;
  await worker.close();
  await queue.close();
  await sidecar.drained();
  return `${prefix}:${name}`;
}
