import { hours, seconds } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import type { EmbeddedScheduler } from "./embedded/embedded-scheduler.ts";
import type { SchedulerGrpc } from "./scheduler-grpc.ts";

export interface PollDeps {
  readonly schedulerGrpc: Pick<SchedulerGrpc, "poll">;
  readonly settings: { readonly SVC_SCHEDULER_GRPC_WATCH_POLL_SECONDS: number };
}

/** Scans for changes of schedules that the streams have not sent. */
export const pollScheduleChanges: Loop<PollDeps> = {
  name: "scheduler-grpc.poll",
  everyMs: ({ settings }) => settings.SVC_SCHEDULER_GRPC_WATCH_POLL_SECONDS * 1000,
  leaderOnly: false,
  tick: ({ schedulerGrpc }) => schedulerGrpc.poll(),
};

export interface ReloadDeps {
  readonly schedulerGrpc: Pick<SchedulerGrpc, "reloadCertificates">;
}

/** Uses replaced certificate files without a restart. */
export const reloadSchedulerCertificates: Loop<ReloadDeps> = {
  name: "scheduler-grpc.reload_certificates",
  everyMs: seconds(10),
  leaderOnly: false,
  tick: async ({ schedulerGrpc }) => schedulerGrpc.reloadCertificates(),
};

export interface RenewDeps {
  readonly embeddedScheduler: Pick<EmbeddedScheduler, "renew"> | null;
}

/** Replaces the certificates of the embedded scheduler before they expire. */
export const renewEmbeddedCertificates: Loop<RenewDeps> = {
  name: "scheduler-grpc.renew_certificates",
  everyMs: hours(1),
  leaderOnly: false,
  tick: async ({ embeddedScheduler }) => embeddedScheduler?.renew(),
};
