import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { quantile } from "../harness/quantile.ts";
import { atMost, type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { serveModel } from "./grpc-service.ts";
import { createModel } from "./model.ts";
import type { TickMessage, TickProcessArgument } from "./tick-process.ts";

/**
 * A scheduler with 100,000 enabled schedules, of which 5,000 are due in the same second: how long after the slot the last of them is
 * handed to the service, and how much memory the process takes. Once with a service inside the process that answers at once, which
 * measures the scheduler alone, and once with a service over gRPC on loopback.
 */
const schedules = 100_000;
const due = 5000;
const tickTargetMs = 50;
const memoryTargetMb = 250;
const checkMs = 100;
const rounds = { quick: 3, standard: 8, full: 20 };
/** Time for the snapshot before the first slot. Over gRPC each schedule is a message of its own. */
const loadMs = { inside: 20_000, overGrpc: 75_000 };
const program = fileURLToPath(new URL("./tick-process.ts", import.meta.url));

interface Measured {
  readonly schedules: number;
  readonly loadedMb: number;
  readonly peakMb: number;
  readonly delaysMs: readonly number[];
}

/** Runs the scheduler until all fires are counted. */
async function measure(
  argument: TickProcessArgument,
  isDone: (delays: readonly number[]) => boolean,
  signal: AbortSignal,
): Promise<Measured> {
  const child = fork(program, [JSON.stringify(argument)], { execArgv: ["--conditions=source"] });
  const delaysMs: number[] = [];
  let loaded = { schedules: 0, residentBytes: 0 };
  let peakBytes = 0;
  child.on("message", (message: TickMessage) => {
    if (message.kind === "loaded") loaded = message;
    else if (message.kind === "memory") peakBytes = Math.max(peakBytes, message.residentBytes);
    else delaysMs.push(...message.delaysMs);
  });
  try {
    while (!isDone(delaysMs)) await pause(checkMs, undefined, { signal });
  } finally {
    await end(child);
  }
  return { schedules: loaded.schedules, loadedMb: loaded.residentBytes / 1e6, peakMb: peakBytes / 1e6, delaysMs };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** The first whole second that is far enough away for the snapshot. */
const firstSlotAfter = (delayMs: number) => Math.ceil((Date.now() + delayMs) / 1000) * 1000;

function requireAll(what: string, { schedules: known }: Measured): void {
  if (known !== schedules) throw new Error(`${what}: ${known} of ${schedules} schedules were loaded`);
}

async function run({ mode, signal, log }: BenchContext): Promise<BenchRow[]> {
  const count = rounds[mode] * due;
  const isComplete = (fires: readonly number[]) => fires.length >= count;

  log("service inside the process");
  let firstSlot = firstSlotAfter(loadMs.inside);
  const inside = await measure({ model: { schedules, due, firstSlot } }, isComplete, signal);
  requireAll("inside", inside);

  log("service over gRPC");
  firstSlot = firstSlotAfter(loadMs.overGrpc);
  const service = await serveModel(createModel({ schedules, due, firstSlot }));
  const overGrpc = await measure({ port: service.port }, () => isComplete(service.arrivedMs), signal);
  service.stop();
  requireAll("over gRPC", overGrpc);

  return [
    note("tick to fire, median", quantile(inside.delaysMs, 0.5), "ms"),
    atMost("tick to fire, p99", quantile(inside.delaysMs, 0.99), "ms", { stated: tickTargetMs }),
    note("tick to fire over gRPC, sent, median", quantile(service.sentMs, 0.5), "ms"),
    note("tick to fire over gRPC, sent, p99", quantile(service.sentMs, 0.99), "ms"),
    note("tick to fire over gRPC, arrived, p99", quantile(service.arrivedMs, 0.99), "ms"),
    note("memory with all schedules loaded", overGrpc.loadedMb, "MB"),
    atMost("memory, peak", overGrpc.peakMb, "MB", { limit: memoryTargetMb }),
  ];
}

export const suite: BenchSuite = {
  name: "scheduler-tick",
  about: "a scheduler with 100,000 schedules, 5,000 of them due at once",
  diskBytes: { quick: 0, standard: 0, full: 0 },
  run,
};
