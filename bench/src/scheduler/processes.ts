import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BrainDatabase } from "@svc/brain/storage";
import { freePort } from "@svc/testkit";
import type { BenchBrain } from "../harness/processes.ts";

const launcher = fileURLToPath(new URL("../../../packages/cli/bin/svc.js", import.meta.url));
const importedAtOnce = 1000;
const checkMs = 20;

export interface SchedulerProcess {
  readonly child: ChildProcess;
  /** What /info answers; null before it answers. */
  info(): Promise<{ readonly schedules: number; readonly leader: boolean; readonly watch_healthy: boolean } | null>;
  /** Sends the signal and waits for the end. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

/** `svc scheduler serve` in a separate process, in plain text. */
export async function startSchedulerProcess(
  home: string,
  grpcPort: number,
  env: Readonly<Record<string, string>> = {},
): Promise<SchedulerProcess> {
  const port = await freePort();
  await mkdir(home, { recursive: true });
  const child = spawn(process.execPath, [launcher, "scheduler", "serve"], {
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
      ...env,
    },
  });
  const ended = once(child, "exit");
  return {
    child,
    info: () =>
      fetch(`http://127.0.0.1:${port}/info`).then(
        (response) => response.json() as never,
        () => null,
      ),
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

/** Settings of a service that listens for such schedulers. */
export const grpcEnv = (port: number): Readonly<Record<string, string>> => ({
  SVC_ENVIRONMENT: "dev",
  SVC_SCHEDULER_GRPC_ENABLED: "true",
  SVC_SCHEDULER_GRPC_INSECURE: "true",
  SVC_SCHEDULER_GRPC_BIND_PORT: String(port),
  SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_ENABLED: "false",
});

/** Imports schedules that miss no slot, `expressionOf` in seconds. */
export async function importSchedules(
  { root, slug }: BenchBrain,
  count: number,
  expressionOf: (index: number) => string,
): Promise<void> {
  for (let from = 0; from < count; from += importedAtOnce) {
    const part = Math.min(importedAtOnce, count - from);
    const schedules = Array.from({ length: part }, (_, index) => ({
      ...{ name: `schedule ${from + index}`, engine: "bullmq", task_name: "reports.build", queue: "reports" },
      ...{ kind: "interval", expression: expressionOf(from + index), catch_up: "fire_all_missed" },
      kwargs: { customer: from + index },
    }));
    const { status, body } = await root.post(`/projects/${slug}/schedules:import`, { schedules, mode: "upsert" });
    if (status !== 200 || body.inserted !== part) throw new Error(`import: ${status} ${JSON.stringify(body)}`);
  }
}

/** Fires that are stored. */
export const countFires = async ({ slow }: BrainDatabase): Promise<number> => {
  const fires = slow.selectFrom("schedule_fires").select((eb) => eb.fn.countAll().as("count"));
  return Number((await fires.executeTakeFirstOrThrow()).count);
};

export async function until(isTrue: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await isTrue())) await pause(checkMs, undefined, { signal });
}
