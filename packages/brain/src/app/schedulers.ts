import type { Audit } from "../features/audit/index.ts";
import type { FireCalls } from "../features/fires/index.ts";
import {
  createEmbeddedScheduler,
  createSchedulerGrpc,
  type SchedulerGrpcDeps,
} from "../features/scheduler-grpc/index.ts";
import { createSchedulers } from "../features/schedulers/index.ts";
import type { BrainDeps } from "./features.ts";

interface SchedulerParts {
  readonly audit: Pick<Audit, "refused">;
  readonly fires: FireCalls;
  readonly quarantine: SchedulerGrpcDeps["quarantine"];
  readonly onError: (error: unknown) => void;
}

/** What serves schedulers: the contract over gRPC, the scheduler inside this process, and their list. */
export function createSchedulerServices(deps: BrainDeps, parts: SchedulerParts) {
  const { clock, database, log, metrics, settings, startScheduler, version } = deps;
  const schedulerGrpc = createSchedulerGrpc({ ...parts, clock, database, log, metrics, settings, version });
  // A shared database may have several services; an embedded one has only this process.
  const isEmbedded = settings.SVC_EMBEDDED_SCHEDULER ?? !database.isShared;
  const embeddedScheduler =
    isEmbedded && startScheduler !== null
      ? createEmbeddedScheduler({ settings, clock, log, schedulerGrpc, start: startScheduler })
      : null;
  const schedulers = createSchedulers({ settings, embedded: () => embeddedScheduler?.state() ?? null });
  return { schedulerGrpc, embeddedScheduler, schedulers };
}
