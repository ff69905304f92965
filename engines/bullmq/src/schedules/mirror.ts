import { type AdapterContext, ScheduleMirror } from "@svc/agent";
import type { Settings } from "../options.ts";
import type { Connection } from "../redis/connection.ts";
import type { QueueNames } from "../redis/names.ts";
import { findEveryQueue } from "../watching/find-queues.ts";
import { isReportable } from "./describe-schedule.ts";
import { createSchedulerReader } from "./read-schedulers.ts";
import { schedulerNameOf } from "./scheduler-name.ts";
import { createSharedPositions } from "./shared-positions.ts";

export interface ScheduleParts {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly context: Pick<AdapterContext, "sink" | "log">;
  /** Once reporting begins, these must be all queues: a snapshot without one would delete its schedules in the service. */
  watchedQueues(): readonly QueueNames[];
}

/** The job schedulers of all watched queues, as events. */
export type Schedules = ReturnType<typeof createSchedules>;

export function createSchedules({ settings, connection, context, watchedQueues }: ScheduleParts) {
  const { redis } = connection;
  const { sink, log } = context;
  const name = schedulerNameOf(settings);
  const reader = createSchedulerReader(redis, settings, log);
  const [firstPrefix] = [...settings.prefixes].sort();
  const mirror = new ScheduleMirror({
    ...{ name, engine: settings.engine, sink, log, readEveryMs: settings.schedulesEveryMs },
    positions: createSharedPositions(redis, `${firstPrefix}:svc-schedule-stream:${name}`, log),
    ready: (signal) => connection.ready(signal),
    async read(isRequested) {
      const found = isRequested ? await findEveryQueue(redis, settings, log) : [];
      const queues = new Map([...watchedQueues(), ...found].map((names) => [names.source, names]));
      return await reader.readAll([...queues.values()]);
    },
  });
  return {
    name,
    /** Reports until the signal aborts. */
    run: (signal: AbortSignal) => mirror.run(signal),
    resync: () => mirror.resync(),
    /** Reports one scheduler after a command has changed it. */
    async report(names: QueueNames, key: string): Promise<void> {
      if (isReportable(names, key)) await mirror.report(`${names.label}:${key}`, () => reader.read(names, key));
    },
  };
}
