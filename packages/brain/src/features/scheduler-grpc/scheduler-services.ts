import { createEmbeddedScheduler, type EmbeddedDeps, type StartEmbedded } from "./embedded/embedded-scheduler.ts";
import { createSchedulerGrpc, type SchedulerGrpcDeps } from "./scheduler-grpc.ts";

export interface SchedulerServicesDeps extends SchedulerGrpcDeps {
  readonly settings: SchedulerGrpcDeps["settings"] &
    EmbeddedDeps["settings"] & { readonly SVC_EMBEDDED_SCHEDULER?: boolean };
  /** Starts a scheduler in this process; null where none can run. */
  readonly startScheduler: StartEmbedded | null;
}

/** What serves schedulers: the contract over gRPC, and the scheduler inside this process if there is one. */
export function createSchedulerServices(deps: SchedulerServicesDeps) {
  const { clock, database, log, settings, startScheduler } = deps;
  const schedulerGrpc = createSchedulerGrpc(deps);
  // A shared database may have several services; an embedded one has only this process.
  const isEmbedded = settings.SVC_EMBEDDED_SCHEDULER ?? !database.isShared;
  const embeddedScheduler =
    isEmbedded && startScheduler !== null
      ? createEmbeddedScheduler({ settings, clock, log, schedulerGrpc, start: startScheduler })
      : null;
  return { schedulerGrpc, embeddedScheduler };
}
