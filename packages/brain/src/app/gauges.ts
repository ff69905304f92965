import { registerProcessMetrics } from "../features/health/index.ts";
import { labelledDepths } from "../features/queues/index.ts";
import { workersOnline } from "../features/workers/index.ts";
import { hours } from "../platform/durations.ts";
import { createThrottledLog } from "../platform/throttled-log.ts";
import type { BrainDeps, Features } from "./features.ts";

const maxProjects = 10_000;
/** A queue whose depth nobody has reported for so long is gone, or nobody knows: its series ends. */
const depthKnownMs = hours(1);
/** Bound of one reading; Prometheus itself waits for 10 s and then has no figure at all. */
const readWithinMs = 2000;

/** Gauges that are read from the tables when /metrics is asked, bounded whatever the number of projects. */
export function registerGauges(
  { clock, database, log, metrics }: BrainDeps,
  { agents, live, masking }: Features,
): void {
  registerProcessMetrics(metrics, database);

  const collectFailed = createThrottledLog(clock, (times, about) =>
    log.warn("metrics.collect_failed", { times, ...about }),
  );

  /** While the database does not answer, the series it feeds are absent and all others are still told. */
  async function fill(clear: () => void, set: () => Promise<void>): Promise<void> {
    try {
      await set();
    } catch (error) {
      clear();
      collectFailed({ err: error });
    }
  }

  // Both gauges of agents are collected in the same turn, so one look serves both.
  const countOnline = boundedReading(() => agents.countOnline(maxProjects));
  const countWorkers = boundedReading(() => workersOnline(database, maxProjects));
  const readDepths = boundedReading(() => labelledDepths(database, new Date(clock.now().getTime() - depthKnownMs)));
  metrics.gauge({
    name: "svc_agents_online",
    aggregator: "first",
    help: "agents online",
    collect: (gauge) =>
      fill(
        () => gauge.remove(),
        async () => gauge.set((await countOnline()).total),
      ),
  });
  metrics.gauge({
    name: "svc_project_agents_online",
    aggregator: "first",
    help: "agents online by project",
    labels: ["project"],
    collect: (gauge) =>
      fill(
        () => gauge.reset(),
        async () => {
          const { projects } = await countOnline();
          gauge.reset();
          for (const { slug, count } of projects) gauge.set({ project: slug }, count);
        },
      ),
  });
  metrics.gauge({
    name: "svc_workers_online",
    aggregator: "first",
    help: "workers of the engines online by project",
    labels: ["project"],
    collect: (gauge) =>
      fill(
        () => gauge.reset(),
        async () => {
          const projects = await countWorkers();
          gauge.reset();
          for (const { slug, count } of projects) gauge.set({ project: slug }, count);
        },
      ),
  });
  metrics.gauge({
    name: "svc_queue_depth",
    aggregator: "first",
    help: "tasks that wait in a queue, as last reported",
    labels: ["project", "queue", "engine"],
    collect: (gauge) =>
      fill(
        () => gauge.reset(),
        async () => {
          const depths = await readDepths();
          gauge.reset();
          // Queues that look the same once they are masked are one series.
          for (const { project, queue, engine, depth } of depths) {
            gauge.inc({ project, queue: masking.name(queue), engine }, depth);
          }
        },
      ),
  });
  metrics.gauge({
    name: "svc_hub_subscribers",
    help: "open dashboard sockets of this process",
    collect: (gauge) => gauge.set(live.hub.size()),
  });
}

/** The same reading for all who ask while it is under way, so that a silent database gathers none; throws when it takes too long. */
function boundedReading<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return async () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    const late = Promise.withResolvers<never>();
    const bound = setTimeout(
      () => late.reject(new Error(`the database did not answer within ${readWithinMs / 1000} s`)),
      readWithinMs,
    );
    try {
      return await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(bound);
    }
  };
}
