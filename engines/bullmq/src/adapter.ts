import type { AdapterContext, EngineAdapter } from "@svc/agent";
import { type CommandRunner, createExecutor, queueCapabilities } from "./commands/executor.ts";
import { type Connections, openConnections } from "./connection.ts";
import { begunWithin, createObserver, type Observer } from "./observer.ts";
import { type BullmqOptions, defaultEngine, settingsOnDemand } from "./options.ts";

/** How long start() waits for a Redis that does not answer before it lets the agent go on. */
const startBoundMs = 3000;

interface Running {
  readonly stop: AbortController;
  readonly connections: Connections;
  readonly observer: Observer;
  readonly commands: CommandRunner;
  readonly done: Promise<void>;
}

/**
 * Watches every BullMQ queue of a Redis from outside, BullMQ 5 and 6, with no change to the application. It only reads, except for the
 * cap of the event streams (`streamCap`). Uses two connections.
 *
 * Never throws; an option out of its bounds is named by the TypeError with which `start` rejects.
 */
export function createBullmqAdapter(options: BullmqOptions): EngineAdapter {
  const demand = settingsOnDemand(() => options);
  let running: Running | undefined;

  async function start(context: AdapterContext): Promise<void> {
    if (running) return;
    const settings = demand();
    const stop = new AbortController();
    const connections = openConnections(settings.redis, context.log);
    const observer = createObserver({ settings, connections, context });
    const knownQueues = async () => observer.queues();
    const commands = createExecutor({ settings, connection: connections.asking, knownQueues });
    running = { stop, connections, observer, commands, done: observer.run(stop.signal) };
    await begunWithin(observer.began, startBoundMs);
  }

  return {
    name: options.engine ?? defaultEngine,
    capabilities: () => queueCapabilities,
    start,
    async stop() {
      const ending = running;
      running = undefined;
      ending?.stop.abort();
      await ending?.commands.close();
      ending?.connections.close();
      await ending?.done;
    },
    snapshot: async () => (running ? running.observer.snapshot() : {}),
    async execute(command) {
      if (!running) return { status: "failed", error: "the adapter is not running" };
      return await running.commands.execute(command);
    },
  };
}
