import type { Metrics } from "../../platform/metrics.ts";
import type { Agents } from "./agents.ts";

/** Projects with a series of their own; the total counts all. */
const maxProjects = 1000;

/** Gauges of agents online, read from the database when /metrics is asked. */
export function registerAgentMetrics(metrics: Pick<Metrics, "gauge">, agents: Pick<Agents, "countOnline">): void {
  const perProject = metrics.gauge({
    name: "svc_project_agents_online",
    help: "agents online, by project",
    labels: ["project"],
  });
  const total = metrics.gauge({
    name: "svc_agents_online",
    help: "agents online",
    async collect() {
      const online = await agents.countOnline(maxProjects);
      total.set(online.total);
      // Projects without an agent online, and gone ones, have no series.
      perProject.reset();
      for (const { slug, count } of online.projects) perProject.set({ project: slug }, count);
    },
  });
}
