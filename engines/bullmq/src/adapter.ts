import { setTimeout as pause } from "node:timers/promises";
import type { AdapterContext, AdapterSnapshot, EngineAdapter } from "@svc/agent";
import { type Connection, openConnection } from "./connection.ts";
import { createFactsMemory } from "./job-facts.ts";
import { type BullmqOptions, readSettings } from "./options.ts";
import { createSnapshot } from "./snapshot.ts";
import { createWatcher } from "./watcher.ts";

/** How long start() waits for a Redis that does not answer before it lets the agent go on. */
const startBoundMs = 3000;

interface Running {
  readonly stop: AbortController;
  readonly connections: readonly Connection[];
  readonly done: Promise<void>;
  readonly snapshot: () => Promise<AdapterSnapshot>;
}

/**
 * Watches every BullMQ queue of a Redis from outside, BullMQ 5 and 6, with no change to the application. It only reads, except for the
 * cap of the event streams (`streamCap`). Uses two connections.
 *
 * @throws TypeError that names an option out of its bounds.
 */
export function createBullmqAdapter(options: BullmqOptions): EngineAdapter {
  const settings = readSettings(options);
  let running: Running | undefined;

  async function start(context: AdapterContext): Promise<void> {
    if (running) return;
    const stop = new AbortController();
    const reading = openConnection(settings.redis, { name: "events", blocking: true }, context.log);
    const asking = openConnection(settings.redis, { name: "jobs", blocking: false }, context.log);
    const memory = createFactsMemory(settings.rememberedTasks);
    const watcher = createWatcher({ settings, reading, asking, memory, context });
    const snapshot = createSnapshot({ redis: asking.redis, settings, memory, log: context.log });
    running = {
      stop,
      connections: [reading, asking],
      done: watcher.run(stop.signal),
      snapshot: () => snapshot(watcher.watches),
    };
    const bound = new AbortController();
    await Promise.race([watcher.began, pause(startBoundMs, undefined, { signal: bound.signal }).catch(() => {})]);
    bound.abort();
  }

  return {
    name: settings.engine,
    capabilities: () => [],
    start,
    async stop() {
      const ending = running;
      running = undefined;
      ending?.stop.abort();
      for (const connection of ending?.connections ?? []) connection.close();
      await ending?.done;
    },
    snapshot: async () => (running ? running.snapshot() : {}),
  };
}
