import { setTimeout as pause } from "node:timers/promises";
import type { AdapterSnapshot } from "@svc/agent";
import { createFactsMemory } from "../jobs/job-facts.ts";
import type { Connections } from "../redis/connection.ts";
import type { QueueNames } from "../redis/names.ts";
import { createSnapshot } from "./snapshot.ts";
import { createWatcher, type Watcher, type WatcherParts } from "./watcher.ts";

export interface Observer extends Pick<Watcher, "run" | "began"> {
  /** What there is now of the queues being watched. */
  snapshot(): Promise<AdapterSnapshot>;
  /** Those being watched. */
  queues(): readonly QueueNames[];
}

export interface ObserverParts extends Pick<WatcherParts, "settings" | "context" | "relay" | "entriesAtOnce"> {
  readonly connections: Connections;
}

/** Watches every queue of one Redis and tells what there is; the two share what they know of tasks. */
export function createObserver({ connections, ...parts }: ObserverParts): Observer {
  const { reading, asking } = connections;
  const { settings, context } = parts;
  const memory = createFactsMemory(settings.rememberedTasks);
  const watcher = createWatcher({ ...parts, reading, asking, memory });
  const snapshot = createSnapshot({ redis: asking.redis, settings, memory, log: context.log });
  return {
    run: watcher.run,
    began: watcher.began,
    snapshot: () => snapshot(watcher.watches),
    queues: () => watcher.watches.map(({ names }) => names),
  };
}

/**
 * Waits for the beginning, but not for a Redis that does not answer: after `boundMs` the agent goes on without it. Until then the
 * process is held, so that nobody who waits for the agent to be ready waits for ever.
 */
export async function begunWithin(began: Promise<void>, boundMs: number): Promise<void> {
  const bound = new AbortController();
  await Promise.race([began, pause(boundMs, undefined, { signal: bound.signal }).catch(() => {})]);
  bound.abort();
}
