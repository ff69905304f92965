import type { EngineAdapter } from "@svc/agent";
import { CommandExecutor } from "./commands/executor.ts";
import { engineAdapter } from "./engine-adapter.ts";
import type { BullmqOptions } from "./options.ts";
import { openConnections } from "./redis/connection.ts";
import { createSchedules } from "./schedules/mirror.ts";
import { Watcher } from "./watching/watcher.ts";

/**
 * Watches every BullMQ 5 and 6 queue of a Redis from outside, without changes to the application, and carries out operators' commands
 * (`commands`). Watching only reads, except for raising the cap of the event streams (`streamCap`). Uses two connections.
 *
 * Never throws; `start` rejects with a TypeError that names the option that is out of range.
 */
export const createBullmqAdapter = (options: BullmqOptions): EngineAdapter =>
  engineAdapter({
    engine: options.engine,
    readOptions: () => options,
    startBoundMs: 3000,
    open(settings, context, stop) {
      const connections = openConnections(settings.redis, context.log);
      const watcher = new Watcher({ settings, connections, context });
      const connection = connections.asking;
      const schedules = createSchedules({ settings, connection, context, watchedQueues: () => watcher.queues() });
      const executor = new CommandExecutor({
        ...{ settings, connection, schedules },
        knownQueues: async () => watcher.queues(),
        hasWorkers: () => false,
      });
      const done = Promise.all([watcher.run(stop), watcher.foundAll.then(() => schedules.run(stop))]);
      return {
        executor,
        began: watcher.began,
        snapshot: () => watcher.snapshot(),
        async end() {
          connections.close();
          await done;
        },
      };
    },
  });
