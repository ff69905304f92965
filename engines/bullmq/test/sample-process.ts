import { flushCompileCache } from "node:module";
import { type Major, startApplication } from "./applications.ts";
import { sampleSettings, sampleTasks } from "./sample-tasks.ts";

/** The process's input, as JSON in its first argument. */
export interface SampleProcess {
  readonly major: Major;
  readonly redis: string;
  readonly name: string;
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly isKilledLater: boolean;
}

/** A worker process of the sample application. Prints `run TASK` for each run, and `ready`. */
const input = JSON.parse(process.argv[2] ?? "{}") as SampleProcess;
// A killed process would not save its compile cache.
flushCompileCache();
const { major, redis, name, concurrency } = input;
const app = startApplication(major, redis, "bull");
// A killed worker is detected when its lock has expired.
const shortLocks = { lockDuration: 1500, lockRenewTime: 400, stalledInterval: 400 };

for (const queue of input.queues) {
  const processor = sampleTasks(queue, (taskId) => process.stdout.write(`run ${taskId}\n`));
  const locks = input.isKilledLater ? shortLocks : {};
  await app.worker(queue, processor, { ...sampleSettings, name, concurrency, ...locks });
}
process.stdout.write("ready\n");
