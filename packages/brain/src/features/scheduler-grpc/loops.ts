import type { Loop } from "../../platform/loop.ts";
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
