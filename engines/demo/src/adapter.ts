import { randomBytes } from "node:crypto";
import type { AdapterContext, AdapterSnapshot, Command, CommandOutcome, EngineAdapter, EventSink } from "@svc/agent";
import { demoCapabilities, executeInShop } from "./commands.ts";
import { engineName, Shop } from "./shop.ts";

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
 * the same way as those of a real engine, and its tasks can be retried, cancelled and purged.
 */
export function createDemoAdapter(options: DemoAdapterOptions = {}): EngineAdapter {
  const { historyMinutes = 360, pace = 1, random = Math.random, now = Date.now } = options;
  let shop: Shop | null = null;
  let sink: EventSink | null = null;
  let timer: NodeJS.Timeout | null = null;

  function tell(untilMs: number): void {
    const events = shop?.advance(untilMs) ?? [];
    if (events.length > 0) sink?.emit(events);
  }

  return {
    name: engineName,
    capabilities: () => demoCapabilities,
    async start(context: AdapterContext): Promise<void> {
      const startMs = now() - historyMinutes * 60_000;
      const opened = new Shop({ run: randomBytes(3).toString("hex"), startMs, random, pace });
      for (let atMs = startMs; atMs < now(); atMs += historySliceMs) {
        context.sink.emit(opened.advance(atMs));
      }
      shop = opened;
      sink = context.sink;
      tell(now());
      timer = setInterval(() => tell(now()), tickMs);
    },
    async execute(command: Command): Promise<CommandOutcome> {
      if (shop === null) throw new Error("the demo shop is not open");
      const nowMs = now();
      tell(nowMs);
      try {
        return executeInShop(shop, command, nowMs);
      } finally {
        tell(nowMs);
      }
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      timer = null;
    },
    async snapshot(): Promise<AdapterSnapshot> {
      if (shop === null) return {};
      const crew = shop.crew();
      const consumers: Record<string, number> = {};
      for (const { type } of crew) consumers[type.queue] = (consumers[type.queue] ?? 0) + 1;
      return {
        queue_depths: shop.depths(),
        queue_consumers: consumers,
        queue_oldest: shop.oldest(),
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
