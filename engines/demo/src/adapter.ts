import { randomBytes } from "node:crypto";
import type { AdapterContext, AdapterSnapshot, Command, CommandOutcome, EngineAdapter, EventSink } from "@svc/agent";
import { demoCapabilities, executeInShop } from "./commands.ts";
import { engineName, Shop } from "./shop.ts";

export interface DemoAdapterOptions {
  /** Minutes of history to report at the start. Default 2880 (48 hours), 0 to 2880. */
  readonly historyMinutes?: number;
  /** Multiplies the usual rate of about 20 tasks per minute in the busiest hour. Default 1, 0.1 to 100. */
  readonly pace?: number;
  /** Returns 0 to below 1; default `Math.random`. A fixed generator repeats the same day. */
  readonly random?: () => number;
  readonly now?: () => number;
}

const tickMs = 200;
/** History is reported in slices; between slices, the agent stores and sends its events. */
const historySliceMs = 5 * 60_000;

export interface DemoAdapter extends EngineAdapter {
  /** Number of tasks so far. */
  taskCount(): number;
}

/**
 * An engine that exists only in memory: a sample shop with queues, workers, failures, retries, task trees and slow tasks. Its events take
 * the same path as those of a real engine, and its tasks can be retried, cancelled and purged. Its history includes a faulty release and
 * lost workers (story.ts).
 */
export function createDemoAdapter(options: DemoAdapterOptions = {}): DemoAdapter {
  const { historyMinutes = 2880, pace = 1, random = Math.random, now = Date.now } = options;
  let shop: Shop | null = null;
  let sink: EventSink | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  function report(untilMs: number): void {
    const events = shop?.advance(untilMs) ?? [];
    if (events.length > 0) sink?.emit(events);
  }

  return {
    name: engineName,
    taskCount: () => shop?.taskCount ?? 0,
    capabilities: () => demoCapabilities,
    async start(context: AdapterContext): Promise<void> {
      const openedMs = now();
      const startMs = openedMs - historyMinutes * 60_000;
      const opened = new Shop({ run: randomBytes(3).toString("hex"), startMs, openedMs, random, pace });
      for (let atMs = startMs; atMs < openedMs && !isStopped; atMs += historySliceMs) {
        await context.sink.ready();
        context.sink.emit(opened.advance(atMs));
      }
      if (isStopped) return;
      shop = opened;
      sink = context.sink;
      report(now());
      timer = setInterval(() => report(now()), tickMs);
    },
    async execute(command: Command): Promise<CommandOutcome> {
      if (shop === null) throw new Error("the demo shop is not open");
      const nowMs = now();
      report(nowMs);
      try {
        return executeInShop(shop, command, nowMs);
      } finally {
        report(nowMs);
      }
    },
    async stop(): Promise<void> {
      isStopped = true;
      if (timer !== null) clearInterval(timer);
      timer = null;
    },
    async snapshot(): Promise<AdapterSnapshot> {
      if (shop === null) return {};
      const crew = shop.crew();
      const depths = shop.depths();
      const consumers: Record<string, number> = Object.fromEntries(Object.keys(depths).map((queue) => [queue, 0]));
      for (const { type } of crew) consumers[type.queue] = (consumers[type.queue] ?? 0) + 1;
      return {
        queue_depths: depths,
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
