import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@svc/testkit";
import { connectRaw, rawHello } from "@svc/testkit/raw-agent";
import pg from "pg";
import { onDatabase, type Place, withStorage } from "../harness/databases.ts";
import { firstAgentOf, startBenchBrain } from "../harness/processes.ts";
import {
  atLeast,
  atMost,
  type BenchContext,
  type BenchMode,
  type BenchRow,
  type BenchSuite,
  note,
} from "../harness/suite.ts";
import { countFires, grpcEnv, importSchedules, startSchedulerProcess, until } from "./processes.ts";

/**
 * Fires of `svc scheduler serve`, over gRPC, into `svc serve` on PostgreSQL: more schedules are due every second than can be fired, so that
 * the rate is the most that both processes and the database reach on this machine. Without an agent each fire is buffered; with one, each
 * has a command.
 */
const schedules = 6000;
const targetPerSecond = 2000;
const measuredMs: Record<BenchMode, number> = { quick: 10_000, standard: 20_000, full: 60_000 };
const warmUpFires = 5000;

interface Rows {
  readonly fires: number;
  /** Schedules and slots that have a fire. */
  readonly slots: number;
  /** Fires that the schedules count. */
  readonly counted: number;
  readonly commands: number;
  /** Slots from the first to the last fire of each schedule. */
  readonly due: number;
}

async function countRows(databaseUrl: string): Promise<Rows> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<Record<keyof Rows, string>>(`SELECT
      (SELECT count(*) FROM schedule_fires) AS fires,
      (SELECT count(*) FROM (SELECT DISTINCT schedule_id, scheduled_for FROM schedule_fires) AS s) AS slots,
      (SELECT sum(total_runs) FROM schedules) AS counted,
      (SELECT count(*) FROM commands WHERE action = 'schedule.fire') AS commands,
      (SELECT sum(span) FROM (SELECT 1 + extract(epoch FROM max(scheduled_for) - min(scheduled_for)) AS span
        FROM schedule_fires GROUP BY schedule_id) AS s) AS due`);
    const [{ fires, slots, counted, commands, due }] = rows as [Record<keyof Rows, string>];
    return {
      fires: Number(fires),
      slots: Number(slots),
      counted: Number(counted),
      commands: Number(commands),
      due: Math.round(Number(due)),
    };
  } finally {
    await client.end();
  }
}

async function measure(
  { mode, signal, log }: BenchContext,
  { home, databaseUrl }: Place,
  withAgent: boolean,
): Promise<BenchRow[]> {
  const grpcPort = await freePort();
  const brain = await startBenchBrain({ home, databaseUrl, agents: 1, env: grpcEnv(grpcPort) });
  const hello = rawHello({ capabilities: { bullmq: ["submit_task"] } });
  const agent = withAgent ? await connectRaw({ url: brain.url, ...firstAgentOf(brain) }, { hello }) : null;
  try {
    await importSchedules(brain, schedules, () => "1");
    const scheduler = await startSchedulerProcess(join(home, "scheduler"), grpcPort);
    return await withStorage(databaseUrl, async (database) => {
      try {
        await until(async () => (await countFires(database)) >= warmUpFires, signal);
        const [before, cpuBefore, startedMs] = [await countFires(database), await brain.usage(), performance.now()];
        await pause(measuredMs[mode], undefined, { signal });
        const [fires, cpu, seconds] = [
          await countFires(database),
          await brain.usage(),
          (performance.now() - startedMs) / 1000,
        ];
        await scheduler.end("SIGTERM");
        const rows = await countRows(databaseUrl);
        const perSecond = (fires - before) / seconds;
        const what = withAgent ? "with commands" : "buffered";
        log(`${what}: ${Math.round(perSecond)} fires/s`);
        return [
          atLeast(`fires per second, ${what}`, perSecond, "fires/s", { stated: targetPerSecond }),
          note(
            `CPU time of svc serve per fire, ${what}`,
            ((cpu.cpuSeconds - cpuBefore.cpuSeconds) * 1e6) / (fires - before),
            "us",
          ),
          atMost(`slots fired twice, ${what}`, 1 + rows.fires - rows.slots, "+1", { limit: 1 }),
          atMost(`slots lost, ${what}`, 1 + rows.due - rows.slots, "+1", { limit: 1 }),
          note(`commands per fire, ${what}`, rows.commands / rows.fires, ""),
          atMost(`fires that schedules do not count, ${what}`, 1 + Math.abs(rows.counted - rows.fires), "+1", {
            limit: 1,
          }),
        ];
      } finally {
        scheduler.child.kill("SIGKILL");
      }
    });
  } finally {
    agent?.socket.terminate();
    await brain.stop();
  }
}

export const suite: BenchSuite = {
  name: "fires",
  about: "fires of a scheduler through gRPC into PostgreSQL",
  diskBytes: { quick: 1e9, standard: 2e9, full: 4e9 },
  async run(context) {
    const rows: BenchRow[] = [];
    for (const withAgent of [false, true]) {
      const folder = withAgent ? "commands" : "buffered";
      rows.push(...(await onDatabase(context, "postgres", (place) => measure(context, place, withAgent), folder)));
    }
    return rows;
  },
};
