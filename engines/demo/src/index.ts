import { randomBytes } from "node:crypto";
import type { AdapterContext, AdapterSnapshot, EngineAdapter } from "@svc/agent";
import { createSimulation, engineName } from "./simulation.ts";

export interface DemoAdapterOptions {
  /** Minutes of history that are told at the start. Default 360, 0 to 1440. */
  readonly historyMinutes?: number;
  /** Times the usual rate of about two tasks a second. Default 1, 0.1 to 100. */
  readonly pace?: number;
  /** 0 to below 1; `Math.random` by default. A fixed one repeats the same day. */
  readonly random?: () => number;
  readonly now?: () => number;
}

const tickMs = 200;
/** History goes out in slices, so that a heartbeat is never far away. */
const historySliceMs = 60_000;

/**
 * An engine that exists only in memory: a sample shop with queues, workers, failures, retries, task trees and slow tasks. Its events go
 * the same way as those of a real engine.
 */
export function createDemoAdapter(options: DemoAdapterOptions = {}): EngineAdapter {
  const { historyMinutes = 360, pace = 1, random = Math.random, now = Date.now } = options;
  let simulation: ReturnType<typeof createSimulation> | null = null;
  let timer: NodeJS.Timeout | null = null;

  return {
    name: engineName,
    capabilities: () => [],
    async start({ sink }: AdapterContext): Promise<void> {
      const startMs = now() - historyMinutes * 60_000;
      const shop = createSimulation({ run: randomBytes(3).toString("hex"), startMs, random, pace });
      simulation = shop;
      for (let atMs = startMs; atMs < now(); atMs += historySliceMs) sink.emit(shop.advance(Math.min(atMs, now())));
      timer = setInterval(() => {
        const events = shop.advance(now());
        if (events.length > 0) sink.emit(events);
      }, tickMs);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      timer = null;
    },
    async snapshot(): Promise<AdapterSnapshot> {
      if (simulation === null) return {};
      const crew = simulation.crew();
      const consumers: Record<string, number> = {};
      for (const { type } of crew) consumers[type.queue] = (consumers[type.queue] ?? 0) + 1;
      return {
        queue_depths: simulation.depths(),
        queue_consumers: consumers,
        queue_oldest: simulation.oldest(),
        worker_details: Object.fromEntries(
          crew.map(({ type, running }) => [
            type.name,
            {
              hostname: "shop.example",
              concurrency: type.concurrency,
              active_tasks: running,
              active_queues: [type.queue],
            },
          ]),
        ),
      };
    },
  };
}
