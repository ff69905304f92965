import { registerProcessMetrics } from "../features/health/index.ts";
import type { BrainDeps, Features } from "./features.ts";

const maxProjects = 1000;

/** Gauges that are read from the tables when /metrics is asked, bounded whatever the number of projects. */
export function registerGauges({ metrics, database }: BrainDeps, { agents, live }: Features): void {
  registerProcessMetrics(metrics, database);
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
    help: "agents online",
    async collect(online) {
      online.set((await countOnline()).total);
    },
  });
  metrics.gauge({
    name: "svc_project_agents_online",
    help: "agents online by project",
    labels: ["project"],
    async collect(ofProject) {
      const { projects } = await countOnline();
      ofProject.reset();
      for (const { slug, count } of projects) ofProject.set({ project: slug }, count);
    },
  });
  metrics.gauge({
    name: "svc_hub_subscribers",
    help: "open dashboard sockets of this process",
    collect: (gauge) => gauge.set(live.hub.size()),
  });
}
