import { registerProcessMetrics } from "../features/health/index.ts";
import { labelledDepths } from "../features/queues/index.ts";
import { workersOnline } from "../features/workers/index.ts";
import type { BrainDeps, Features } from "./features.ts";

const maxProjects = 10_000;
/** A queue whose depth nobody has reported for so long is gone, or nobody knows: its series ends. */
const depthKnownMs = 3_600_000;

/** Gauges that are read from the tables when /metrics is asked, bounded whatever the number of projects. */
export function registerGauges({ clock, database, log, metrics }: BrainDeps, { agents, live }: Features): void {
  registerProcessMetrics(metrics, database);

  /** While the database does not answer, the series it feeds are absent and all others are still told. */
  async function fill(clear: () => void, set: () => Promise<void>): Promise<void> {
    try {
      await set();
    } catch (error) {
      clear();
      log.warn("metrics.collect_failed", { err: error });
    }
  }

  // Both gauges are collected in the same turn, so one look serves both.
  let looking: ReturnType<typeof agents.countOnline> | null = null;
  const countOnline = () => {
    looking ??= agents.countOnline(maxProjects).finally(() => {
      looking = null;
    });
    return looking;
  };
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
          const projects = await workersOnline(database, maxProjects);
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
          const depths = await labelledDepths(database, new Date(clock.now().getTime() - depthKnownMs));
          gauge.reset();
          for (const { project, queue, engine, depth } of depths) gauge.set({ project, queue, engine }, depth);
        },
      ),
  });
  metrics.gauge({
    name: "svc_hub_subscribers",
    help: "open dashboard sockets of this process",
    collect: (gauge) => gauge.set(live.hub.size()),
  });
}
