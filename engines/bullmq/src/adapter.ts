import type { AdapterContext, EngineAdapter } from "@svc/agent";
import { type Commanding, capabilitiesOf, createCommanding, notRunning } from "./commands/commanding.ts";
import { type BullmqOptions, defaultEngine, settingsOnDemand } from "./options.ts";
import { type Connections, openConnections } from "./redis/connection.ts";
import { begunWithin, createObserver, type Observer } from "./watching/observer.ts";

/** How long start() waits for a Redis that does not answer before it lets the agent go on. */
const startBoundMs = 3000;

interface Running {
  readonly stop: AbortController;
  readonly connections: Connections;
  readonly observer: Observer;
  readonly commanding: Commanding;
  readonly done: Promise<void>;
}

/**
 * Watches every BullMQ queue of a Redis from outside, BullMQ 5 and 6, with no change to the application, and carries out commands of
 * operators (`commands`). Watching only reads, except for the cap of the event streams (`streamCap`). Uses two connections.
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
    const commanding = createCommanding({
      settings,
      connection: connections.asking,
      sink: context.sink,
      knownQueues,
      hasWorkers: () => false,
    });
    running = { stop, connections, observer, commanding, done: observer.run(stop.signal) };
    void connections.asking.ready(stop.signal).then(commanding.look, () => {}); // early: the agent says hello meanwhile
    await begunWithin(observer.began, startBoundMs);
    await commanding.look();
  }

  return {
    name: options.engine ?? defaultEngine,
    capabilities: () => capabilitiesOf(demand, running?.commanding),
    start,
    async stop() {
      const ending = running;
      running = undefined;
      ending?.stop.abort();
      await ending?.commanding.close();
      ending?.connections.close();
      await ending?.done;
    },
    async snapshot() {
      if (!running) return {};
      await running.commanding.look();
      return await running.observer.snapshot();
    },
    depth: async (queue) => await running?.commanding.depth(queue),
    async execute(command) {
      return running ? await running.commanding.execute(command) : notRunning;
    },
  };
}
