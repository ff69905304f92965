import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BrainDatabase } from "@svc/brain/storage";
import { freePort } from "@svc/testkit";
import { connectRaw, rawHello } from "@svc/testkit/raw-agent";
import { sql } from "kysely";
import { onDatabase, type Place, withStorage } from "../harness/databases.ts";
import { type BenchBrain, firstAgentOf, startBenchBrain } from "../harness/processes.ts";
import {
  atLeast,
  atMost,
  type BenchContext,
  type BenchMode,
  type BenchRow,
  type BenchSuite,
  note,
} from "../harness/suite.ts";

/**
 * Fires of `svc scheduler serve`, over gRPC, into `svc serve` on PostgreSQL: more schedules are due every second than can be fired, so that
 * the rate is the most that both processes and the database reach on this machine. Without an agent each fire is buffered; with one, each
 * has a command.
 */
const schedules = 6000;
const importedAtOnce = 1500;
const targetPerSecond = 2000;
const measuredMs: Record<BenchMode, number> = { quick: 10_000, standard: 20_000, full: 60_000 };
const warmUpFires = 5000;
const checkMs = 100;
const launcher = fileURLToPath(new URL("../../../packages/cli/bin/svc.js", import.meta.url));

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

async function countRows({ slow }: BrainDatabase): Promise<Rows> {
  const { rows } = await sql<Record<keyof Rows, string>>`SELECT
      (SELECT count(*) FROM schedule_fires) AS fires,
      (SELECT count(*) FROM (SELECT DISTINCT schedule_id, scheduled_for FROM schedule_fires) AS s) AS slots,
      (SELECT sum(total_runs) FROM schedules) AS counted,
      (SELECT count(*) FROM commands WHERE action = 'schedule.fire') AS commands,
      (SELECT sum(span) FROM (SELECT 1 + extract(epoch FROM max(scheduled_for) - min(scheduled_for)) AS span
        FROM schedule_fires GROUP BY schedule_id) AS s) AS due`.execute(slow);
  const [{ fires, slots, counted, commands, due }] = rows as [Record<keyof Rows, string>];
  return {
    fires: Number(fires),
    slots: Number(slots),
    counted: Number(counted),
    commands: Number(commands),
    due: Math.round(Number(due)),
  };
}

const countFires = async ({ slow }: BrainDatabase): Promise<number> =>
  Number(
    (
      await slow
        .selectFrom("schedule_fires")
        .select((eb) => eb.fn.countAll().as("n"))
        .executeTakeFirstOrThrow()
    ).n,
  );

async function addSchedules({ root, slug }: BenchBrain): Promise<void> {
  for (let from = 0; from < schedules; from += importedAtOnce) {
    const given = Array.from({ length: importedAtOnce }, (_, index) => ({
      ...{ name: `schedule ${from + index}`, engine: "bullmq", task_name: "reports.build", queue: "reports" },
      ...{ kind: "interval", expression: "1", catch_up: "fire_all_missed", kwargs: { customer: from + index } },
    }));
    const { status, body } = await root.post(`/projects/${slug}/schedules:import`, {
      schedules: given,
      mode: "upsert",
    });
    if (status !== 200 || body.inserted !== importedAtOnce)
      throw new Error(`import: ${status} ${JSON.stringify(body)}`);
  }
}

async function startScheduler(grpcPort: number, home: string): Promise<ChildProcess> {
  const port = await freePort();
  await mkdir(home, { recursive: true });
  return spawn(process.execPath, [launcher, "scheduler", "serve"], {
    cwd: home,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env.PATH,
      SVC_HOME: home,
      SVC_ENVIRONMENT: "dev",
      SVC_LOG_LEVEL: "error",
      SVC_SCHEDULER_INSECURE_GRPC: "true",
      SVC_SCHEDULER_BRAIN_GRPC_URL: `127.0.0.1:${grpcPort}`,
      SVC_SCHEDULER_BIND_PORT: String(port),
    },
  });
}

async function measure(
  { mode, signal, log }: BenchContext,
  { home, databaseUrl }: Place,
  withAgent: boolean,
): Promise<BenchRow[]> {
  const grpcPort = await freePort();
  const brain = await startBenchBrain({
    home,
    databaseUrl,
    agents: 1,
    env: {
      SVC_ENVIRONMENT: "dev",
      SVC_SCHEDULER_GRPC_ENABLED: "true",
      SVC_SCHEDULER_GRPC_INSECURE: "true",
      SVC_SCHEDULER_GRPC_BIND_PORT: String(grpcPort),
      SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_ENABLED: "false",
    },
  });
  const hello = rawHello({ capabilities: { bullmq: ["submit_task"] } });
  const agent = withAgent ? await connectRaw({ url: brain.url, ...firstAgentOf(brain) }, { hello }) : null;
  try {
    await addSchedules(brain);
    const scheduler = await startScheduler(grpcPort, join(home, "scheduler"));
    return await withStorage(databaseUrl, async (database) => {
      try {
        while ((await countFires(database)) < warmUpFires) await pause(checkMs, undefined, { signal });
        const [before, cpuBefore, startedMs] = [await countFires(database), await brain.usage(), performance.now()];
        await pause(measuredMs[mode], undefined, { signal });
        const [fires, cpu, seconds] = [
          await countFires(database),
          await brain.usage(),
          (performance.now() - startedMs) / 1000,
        ];
        const ended = once(scheduler, "exit");
        scheduler.kill("SIGTERM");
        await ended;
        const rows = await countRows(database);
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
        scheduler.kill("SIGKILL");
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
