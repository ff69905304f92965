import { createBullmqAdapter } from "@svc/bullmq";

/**
 * The measured process of sidecar.ts: the adapter with a sink that only counts, so that the figures are the adapter's own. Takes
 * `{ redis, prefix }` as its argument, reports its state twice a second, and ends when the parent disconnects.
 */
export interface SidecarState {
  readonly events: number;
  readonly ended: number;
  readonly lost: number;
  readonly cpuMs: number;
  readonly residentBytes: number;
  /** Milliseconds between an entry's stream time and its event, one sample per emitted batch since the last state. */
  readonly lagsMs: readonly number[];
}

const { redis, prefix } = JSON.parse(process.argv[2] ?? "{}") as { redis: string; prefix: string };
const ids = new Set<string>();
let events = 0;
let ended = 0;
let lost = 0;
let lagsMs: number[] = [];

const adapter = createBullmqAdapter({ redis, prefixes: [prefix] });
await adapter.start({
  destination: "bench",
  sink: {
    emit(batch) {
      events += batch.length;
      for (const event of batch) {
        if (event.kind !== "task.succeeded" && event.kind !== "task.failed") continue;
        ended += 1;
        ids.add(event.task_id);
      }
      const last = batch.at(-1);
      if (last) lagsMs.push(Date.now() - Date.parse(last.occurred_at ?? ""));
    },
    lost(count) {
      lost += count;
    },
    ready: () => Promise.resolve(),
    follow: () => () => true,
  },
  cursors: { get: () => undefined },
  log: { debug() {}, info() {}, warn: console.error, error: console.error },
});

setInterval(() => {
  const { user, system } = process.cpuUsage();
  const state: SidecarState = {
    events,
    ended: ids.size,
    lost: lost + (ended - ids.size),
    cpuMs: (user + system) / 1000,
    residentBytes: process.memoryUsage.rss(),
    lagsMs,
  };
  lagsMs = [];
  process.send?.(state);
}, 500);
process.once("disconnect", () => process.exit(0));
