import { flushCompileCache } from "node:module";
import { type Major, startApplication } from "./applications.ts";
import { sampleSettings, sampleTasks } from "./sample-tasks.ts";

/** What the process is told, as JSON in its first argument. */
export interface SampleProcess {
  readonly major: Major;
  readonly redis: string;
  readonly name: string;
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly isKilledLater: boolean;
}

/** A worker process of the sample application. Says `run TASK` of each run, and `ready`. */
const told = JSON.parse(process.argv[2] ?? "{}") as SampleProcess;
// It is mostly killed, and a killed process would not keep what it compiled.
flushCompileCache();
const { major, redis, name, concurrency } = told;
const app = startApplication(major, redis, "bull");
// A worker that is killed is missed when its lock has run out.
const shortLocks = { lockDuration: 1500, lockRenewTime: 400, stalledInterval: 400 };

for (const queue of told.queues) {
  const processor = sampleTasks(queue, (taskId) => process.stdout.write(`run ${taskId}\n`));
  const locks = told.isKilledLater ? shortLocks : {};
  await app.worker(queue, processor, { ...sampleSettings, name, concurrency, ...locks });
}
process.stdout.write("ready\n");
