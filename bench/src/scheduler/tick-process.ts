import { type Brain, type SchedulerSettings, schedulerSettings, startScheduler } from "@svc/scheduler";
import { Value } from "typebox/value";
import { createModel, type ModelOptions, msOf, wallMs } from "./model.ts";

/**
 * The measured scheduler of tick.ts. Its argument is `{ model }` for a service inside this process or `{ port }` for one over gRPC.
 * It reports when all schedules have arrived, then its memory every 100 ms, and, for a service inside, the delay of every fire.
 */
export type TickProcessArgument = { readonly model: ModelOptions } | { readonly port: number };

export type TickMessage =
  | { readonly kind: "loaded"; readonly schedules: number; readonly residentBytes: number }
  | { readonly kind: "memory"; readonly residentBytes: number }
  | { readonly kind: "delays"; readonly delaysMs: readonly number[] };

const argument = JSON.parse(process.argv[2] ?? "{}") as TickProcessArgument;
const send = (message: TickMessage) => process.send?.(message);
let delaysMs: number[] = [];

const settings: SchedulerSettings = {
  ...(Value.Create(schedulerSettings) as Omit<SchedulerSettings, "SVC_ENVIRONMENT">),
  SVC_ENVIRONMENT: "dev",
  SVC_SCHEDULER_INSECURE_GRPC: true,
  SVC_SCHEDULER_BRAIN_GRPC_URL: `127.0.0.1:${"port" in argument ? argument.port : 1}`,
  SVC_SCHEDULER_BIND_PORT: 0,
};

function brainInside(options: ModelOptions): Brain {
  const model = createModel(options);
  return {
    ping: () => Promise.resolve(model.ping()),
    async *snapshot() {
      yield* model.snapshot();
    },
    watch: (_request, signal) => model.watch(signal),
    fire(request) {
      delaysMs.push(wallMs() - msOf(request.scheduled_for));
      return Promise.resolve(model.fire(request));
    },
    advance: () => Promise.reject(new Error("no slot is missed")),
    quarantine: () => Promise.reject(new Error("every expression compiles")),
    close() {},
  };
}

const scheduler = await startScheduler({
  settings,
  log: { debug() {}, info() {}, warn: console.error, error: console.error },
  ...("model" in argument && { brain: brainInside(argument.model) }),
});

let isLoaded = false;
setInterval(() => {
  const residentBytes = process.memoryUsage.rss();
  const { schedules, watch_healthy } = scheduler.info();
  if (!isLoaded && watch_healthy) {
    isLoaded = true;
    send({ kind: "loaded", schedules, residentBytes });
  }
  send({ kind: "memory", residentBytes });
  if (delaysMs.length > 0) send({ kind: "delays", delaysMs });
  delaysMs = [];
}, 100);
process.once("disconnect", () => process.exit(0));
