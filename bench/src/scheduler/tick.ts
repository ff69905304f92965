import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { quantile } from "../harness/quantile.ts";
import { atMost, type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { serveModel } from "./grpc-service.ts";
import { createModel, type ModelOptions } from "./model.ts";
import { startSchedulerProcess, until } from "./processes.ts";
import type { TickReport } from "./tick-process.ts";

/**
 * A scheduler with 100,000 enabled schedules, of which 5,000 are due in the same second. First with a service inside the process that
 * answers at once: how long after the slot each fire is handed over, which is the scheduler's own part. Then `svc scheduler serve` with a
 * service over gRPC on loopback: its memory, and how late fires arrive, which depends on how fast gRPC and the service take them.
 */
const schedules = 100_000;
const due = 5000;
const tickTargetMs = 50;
const memoryTargetMb = 250;
const checkMs = 100;
const rounds = { quick: 3, standard: 8, full: 20 };
/** Time for the snapshot before the first slot. */
const loadMs = { inside: 20_000, overGrpc: 45_000 };
const program = fileURLToPath(new URL("./tick-process.ts", import.meta.url));

const modelAfter = (delayMs: number): ModelOptions => ({
  schedules,
  due,
  firstSlot: Math.ceil((Date.now() + delayMs) / 1000) * 1000,
});

/** Until `count` fires were handed over. */
async function measureInside(count: number, signal: AbortSignal): Promise<TickReport> {
  const child = fork(program, [JSON.stringify(modelAfter(loadMs.inside))], { execArgv: ["--conditions=source"] });
  const delaysMs: number[] = [];
  const roundsCpuMs: number[] = [];
  child.on("message", (report: TickReport) => {
    delaysMs.push(...report.delaysMs);
    roundsCpuMs.push(...report.roundsCpuMs);
  });
  try {
    while (delaysMs.length < count) await pause(checkMs, undefined, { signal });
  } finally {
    await end(child);
  }
  return { delaysMs, roundsCpuMs };
}

async function overGrpc(count: number, scratchDir: string, signal: AbortSignal) {
  const service = await serveModel(createModel(modelAfter(loadMs.overGrpc)));
  const startedMs = performance.now();
  const { child, info, end } = await startSchedulerProcess(scratchDir, service.port);
  try {
    await until(async () => (await info())?.schedules === schedules, signal);
    const loadedSeconds = (performance.now() - startedMs) / 1000;
    const loadedMb = await memoryMb(child.pid!, "VmRSS");
    while (service.arrivedMs.length < count) await pause(checkMs, undefined, { signal });
    return { loadedSeconds, loadedMb, peakMb: await memoryMb(child.pid!, "VmHWM"), ...service };
  } finally {
    await end("SIGKILL");
    service.stop();
  }
}

/** A line of the memory of a process: `VmRSS` is resident now, `VmHWM` the most so far. */
async function memoryMb(pid: number, line: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return (Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function run({ mode, signal, log, scratchDir }: BenchContext): Promise<BenchRow[]> {
  const count = rounds[mode] * due;
  log("service inside the process");
  const { delaysMs, roundsCpuMs } = await measureInside(count, signal);
  log("svc scheduler serve, service over gRPC");
  const { loadedSeconds, loadedMb, peakMb, sentMs, arrivedMs } = await overGrpc(count, scratchDir, signal);
  return [
    note("tick to fire, median", quantile(delaysMs, 0.5), "ms"),
    atMost("tick to fire, p99", quantile(delaysMs, 0.99), "ms", { stated: tickTargetMs }),
    note("CPU time for 5,000 fires, median", quantile(roundsCpuMs, 0.5), "ms"),
    note("over gRPC, sent, median", quantile(sentMs, 0.5), "ms"),
    note("over gRPC, sent, p99", quantile(sentMs, 0.99), "ms"),
    note("over gRPC, arrived, p99", quantile(arrivedMs, 0.99), "ms"),
    note("start with all schedules loaded", loadedSeconds, "s"),
    note("memory with all schedules loaded", loadedMb, "MB"),
    atMost("memory, peak", peakMb, "MB", { limit: memoryTargetMb }),
  ];
}

export const suite: BenchSuite = {
  name: "scheduler-tick",
  about: "a scheduler with 100,000 schedules, 5,000 of them due at once",
  diskBytes: { quick: 0, standard: 0, full: 0 },
  run,
};
