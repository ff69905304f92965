import type { EngineAdapter } from "@svc/agent";
import { CommandExecutor } from "./commands/executor.ts";
import { engineAdapter } from "./engine-adapter.ts";
import type { BullmqOptions } from "./options.ts";
import { openConnections } from "./redis/connection.ts";
import { Watcher } from "./watching/watcher.ts";

/**
 * Watches every BullMQ queue of a Redis from outside, BullMQ 5 and 6, with no change to the application, and carries out commands of
 * operators (`commands`). Watching only reads, except for the cap of the event streams (`streamCap`). Uses two connections.
 *
 * Never throws; an option out of its bounds is named by the TypeError with which `start` rejects.
 */
export const createBullmqAdapter = (options: BullmqOptions): EngineAdapter =>
  engineAdapter({
    engine: options.engine,
    readOptions: () => options,
    startBoundMs: 3000,
    open(settings, context, stop) {
      const connections = openConnections(settings.redis, context.log);
      const watcher = new Watcher({ settings, connections, context });
      const executor = new CommandExecutor({
        ...{ settings, connection: connections.asking, sink: context.sink },
        knownQueues: async () => watcher.queues(),
        hasWorkers: () => false,
      });
      const done = watcher.run(stop);
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
