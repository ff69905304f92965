import { type Brain, type SchedulerSettings, schedulerSettings, startScheduler } from "@svc/scheduler";
import { Value } from "typebox/value";
import { createModel, type ModelOptions, msOf, wallMs } from "./model.ts";

/** A scheduler with a service inside its process, which reports each fire to its parent. */
export interface TickReport {
  /** Milliseconds from the slot to the hand-over of each fire. */
  readonly delaysMs: readonly number[];
  /** CPU time of the process from the first to the last fire of each round, in milliseconds. */
  readonly roundsCpuMs: readonly number[];
}

const model = createModel(JSON.parse(process.argv[2] ?? "{}") as ModelOptions);
let delaysMs: number[] = [];
let round = { slot: 0, startMs: 0, endMs: 0 };

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const brain: Brain = {
  ping: () => Promise.resolve(model.ping()),
  async *snapshot() {
    yield* model.snapshot();
  },
  watch: (_request, signal) => model.watch(signal),
  fire(request) {
    const slot = msOf(request.scheduled_for);
    delaysMs.push(wallMs() - slot);
    const nowMs = cpuMs();
    if (slot === round.slot) round.endMs = nowMs;
    else round = { slot, startMs: nowMs, endMs: nowMs };
    return Promise.resolve(model.fire(request));
  },
  advance: () => Promise.reject(new Error("no slot is missed")),
  quarantine: () => Promise.reject(new Error("every expression compiles")),
  close() {},
};

const settings: SchedulerSettings = {
  ...(Value.Create(schedulerSettings) as Omit<SchedulerSettings, "SVC_ENVIRONMENT">),
  SVC_ENVIRONMENT: "dev",
  SVC_SCHEDULER_BIND_PORT: 0,
};
await startScheduler({ settings, brain, log: { debug() {}, info() {}, warn: console.error, error: console.error } });

setInterval(() => {
  if (delaysMs.length === 0) return;
  process.send?.({ delaysMs, roundsCpuMs: [round.endMs - round.startMs] } satisfies TickReport);
  delaysMs = [];
}, 500);
process.once("disconnect", () => process.exit(0));
