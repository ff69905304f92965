import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@svc/testkit";
import { onDatabase, type Place, withStorage } from "../harness/databases.ts";
import { startBenchBrain } from "../harness/processes.ts";
import { atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite } from "../harness/suite.ts";
import { countFires, grpcEnv, importSchedules, startSchedulerProcess, until } from "./processes.ts";

/**
 * A leader of 100,000 schedules is killed with -9 while a standby runs: the time until the standby fires. It notices the loss with its next
 * attempt to take the lock, and then takes a snapshot, because cursors move without a change of the schedule.
 */
const schedules: Record<BenchMode, number> = { quick: 100_000, standard: 100_000, full: 100_000 };
const rounds: Record<BenchMode, number> = { quick: 2, standard: 5, full: 5 };
/** Schedules that are due every second; the others once a day. */
const busy = 10;
const limitSeconds = 5;
const settledMs = 1500;

async function measure({ mode, signal, log }: BenchContext, { home, databaseUrl }: Place): Promise<BenchRow[]> {
  const grpcPort = await freePort();
  const brain = await startBenchBrain({ home, databaseUrl, agents: 1, env: grpcEnv(grpcPort) });
  const env = { SVC_SCHEDULER_LEADER_BACKEND: "postgres", SVC_SCHEDULER_LEADER_PG_DSN: databaseUrl };
  const start = async (name: string) => {
    const started = await startSchedulerProcess(join(home, name), grpcPort, env);
    await until(async () => (await started.info())?.schedules === schedules[mode], signal);
    return started;
  };
  await importSchedules(brain, schedules[mode], (index) => (index < busy ? "1" : "86400"));
  log(`imported ${schedules[mode]} schedules`);
  let leader = await start("scheduler-0");
  try {
    return await withStorage(databaseUrl, async (database) => {
      const seconds: number[] = [];
      for (let round = 1; round <= rounds[mode]; round += 1) {
        const standby = await start(`scheduler-${round}`);
        await until(async () => (await leader.info())?.leader === true, signal);
        const firing = await countFires(database);
        await until(async () => (await countFires(database)) > firing, signal);
        await leader.end("SIGKILL");
        const killedMs = performance.now();
        leader = standby;
        // Fires that were on their way.
        await pause(settledMs, undefined, { signal });
        const before = await countFires(database);
        await until(async () => (await countFires(database)) > before, signal);
        seconds.push((performance.now() - killedMs) / 1000);
        log(`fires again after ${seconds.at(-1)?.toFixed(1)} s`);
      }
      return [atMost("kill -9 to the next fire, worst", Math.max(...seconds), "s", { stated: limitSeconds })];
    });
  } finally {
    leader.child.kill("SIGKILL");
    await brain.stop();
  }
}

export const suite: BenchSuite = {
  name: "scheduler-failover",
  about: "the time until a standby fires when the leader of 100,000 schedules is killed",
  diskBytes: { quick: 1e9, standard: 1e9, full: 1e9 },
  run: (context) => onDatabase(context, "postgres", (place) => measure(context, place)),
};
