import { controlBullmqWorkers } from "../src/index.ts";
import { type Major, startApplication } from "./applications.ts";
import { sampleSettings, sampleTasks } from "./sample-tasks.ts";

/** What the process is told, as JSON in its first argument. */
export interface SampleProcess {
  readonly major: Major;
  readonly redis: string;
  readonly name: string;
  readonly queues: readonly string[];
  readonly slots: number;
  readonly isMortal: boolean;
  readonly takesCommands: boolean;
}

/** A worker process of the sample application. Says `run TASK` of each run, `made` of each worker, and `ready`. */
const told = JSON.parse(process.argv[2] ?? "{}") as SampleProcess;
const { major, redis, name, slots } = told;
const app = startApplication(major, redis, "bull");
// A worker that is killed is missed when its lock has run out.
const shortLocks = { lockDuration: 1500, lockRenewTime: 400, stalledInterval: 400 };

async function createWorker({ queue, concurrency }: { readonly queue: string; readonly concurrency: number }) {
  const processor = sampleTasks(queue, (taskId) => process.stdout.write(`run ${taskId}\n`));
  const worker = await app.worker(queue, processor, {
    ...sampleSettings,
    name,
    concurrency,
    ...(told.isMortal && shortLocks),
  });
  process.stdout.write("made\n");
  return worker;
}

for (const queue of told.queues) await createWorker({ queue, concurrency: slots });
// The suite takes the server away, which the helper would tell on standard error.
const log = { debug() {}, info() {}, warn() {}, error() {} };
if (told.takesCommands) controlBullmqWorkers({ redis, workers: app.workers, createWorker, log });
process.stdout.write("ready\n");
