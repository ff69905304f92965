import { createRedactor } from "@svc/protocol";
import type { JobState } from "bullmq6";
import type { CommandHandler } from "../context/command-context.ts";
import { readText } from "../context/parameters.ts";

const longestException = 500;
const redactor = createRedactor();

/** What has become of a task, by the state of its job. */
export const reconcileTask: CommandHandler = async ({ parameters }, { addresses, queues, redis }) => {
  const { names, jobId, taskId } = await addresses.job(readText(parameters, "task_id"));
  const queue = await queues.open(names);
  const state = await queue.getJobState(jobId);
  const engineState = engineStates[state] ?? "unknown";
  if (engineState !== "success" && engineState !== "failure") return { task_id: taskId, engine_state: engineState };
  const [finishedOn, failedReason] = await redis.hmget(names.keyBase + jobId, "finishedOn", "failedReason");
  const finishedMs = Number(finishedOn);
  return {
    task_id: taskId,
    engine_state: engineState,
    ...(finishedMs > 0 && { finished_at: new Date(finishedMs).toISOString() }),
    ...(engineState === "failure" && failedReason && { exception: exceptionOf(failedReason) }),
  };
};

const engineStates: Readonly<Record<JobState | "unknown" | "paused", string>> = {
  waiting: "pending",
  paused: "pending",
  prioritized: "pending",
  delayed: "pending",
  "waiting-children": "pending",
  active: "started",
  completed: "success",
  failed: "failure",
  unknown: "unknown",
};

function exceptionOf(failedReason: string): string {
  return String(redactor.redact(failedReason)).slice(0, longestException);
}
