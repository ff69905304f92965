import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Processor, WorkerSettings } from "./applications.ts";

const pollEveryMs = 20;

/** How often a rate-limited worker checks whether the limit has ended. */
export const sampleSettings: WorkerSettings = { maximumRateLimitDelay: 200 };

interface Input {
  readonly message?: string;
  readonly times?: number;
  readonly path?: string;
}

/** The sample tasks of the conformance suite, for the workers of one queue. @param onRun called with the id of each task that begins. */
export function sampleTasks(queue: string, onRun: (taskId: string) => void): Processor {
  // BullMQ gives a signal only to a processor that takes three parameters.
  return async (job, _token, signal) => {
    onRun(`${queue}:${job.id}`);
    const { message, times = Number.POSITIVE_INFINITY, path = "" } = Object(job.data) as Input;
    switch (job.name) {
      case "fail":
        if (job.attemptsStarted <= times) throw new Error(message);
        return null;
      case "gate":
        while (!existsSync(path)) {
          if (signal?.aborted) throw new Error("asked to stop");
          await pause(pollEveryMs);
        }
        return null;
      case "progress":
        await job.updateProgress(50);
        return null;
      default:
        return job.data;
    }
  };
}
