import { registerProcessMetrics } from "../features/health/index.ts";
import { labelledDepths } from "../features/queues/index.ts";
import { workersOnline } from "../features/workers/index.ts";
import { hours } from "../platform/durations.ts";
import { createThrottledLog } from "../platform/throttled-log.ts";
import type { BrainDeps } from "./brain-deps.ts";
import type { Features } from "./features.ts";

const maxProjects = 10_000;
/** The series of a queue ends when its depth has not been reported for this long. */
const depthKnownMs = hours(1);
/** Time limit of one read; Prometheus itself waits for 10 s and then has no figures at all. */
const readWithinMs = 2000;

/** Gauges that are read from the tables when /metrics is requested, bounded for any number of projects. */
export function registerGauges(
  { clock, database, log, metrics }: BrainDeps,
  { agents, live, masking }: Features,
): void {
  registerProcessMetrics(metrics, database);

  const collectFailed = createThrottledLog(clock, (times, about) =>
    log.warn("metrics.collect_failed", { times, ...about }),
  );

  /** While the database does not answer, its series are absent and all others are still reported. */
  async function fill(clear: () => void, set: () => Promise<void>): Promise<void> {
    try {
      await set();
    } catch (error) {
      clear();
      collectFailed({ err: error });
    }
  }

  // Both gauges of agents are collected in the same turn, so one read serves both.
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
    help: "engine workers online by project",
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
    help: "waiting tasks in a queue, as last reported",
    labels: ["project", "queue", "engine"],
    collect: (gauge) =>
      fill(
        () => gauge.reset(),
        async () => {
          const depths = await readDepths();
          gauge.reset();
          // Queues with the same masked name are one series.
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

/** Concurrent callers share one read, so that reads do not pile up on a silent database; throws when it takes too long. */
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
