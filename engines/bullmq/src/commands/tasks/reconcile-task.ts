import { createRedactor } from "@svc/protocol";
import type { JobState } from "bullmq6";
import { failureOf } from "../../jobs/job-hash.ts";
import type { CommandHandler } from "../context/command-context.ts";
import { readText } from "../context/parameters.ts";

const longestException = 500;
const redactor = createRedactor();

/** Reports the state of a task from the state of its job. */
export const reconcileTask: CommandHandler = async ({ parameters }, { addresses, queues, redis }) => {
  const { names, jobId, taskId } = await addresses.job(readText(parameters, "task_id"));
  const queue = await queues.open(names);
  const state = await queue.getJobState(jobId);
  const engineState = engineStates[state] ?? "unknown";
  if (engineState !== "success" && engineState !== "failure") return { task_id: taskId, engine_state: engineState };
  const fields = ["finishedOn", "failedReason", "stacktrace"] as const;
  const [finishedOn, failedReason, stacktrace] = await redis.hmget(names.keyBase + jobId, ...fields);
  const finishedMs = Number(finishedOn);
  return {
    task_id: taskId,
    engine_state: engineState,
    ...(finishedMs > 0 && { finished_at: new Date(finishedMs).toISOString() }),
    ...(engineState === "failure" && failedReason && { exception: exceptionOf(failedReason, stacktrace ?? "") }),
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

/** BullMQ stores the message without the error class, which only the newest stack names; the answer carries no stack. */
function exceptionOf(failedReason: string, stacktrace: string): string {
  const { traceback = "" } = failureOf({ failedReason, stacktrace }, -1);
  const [thrown, message] = [firstLine(traceback), firstLine(failedReason)];
  const errorClass = thrown.endsWith(`: ${message}`) ? thrown.slice(0, -message.length) : "";
  return String(redactor.redact(errorClass + failedReason)).slice(0, longestException);
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
