import type { HomeProject } from "@svc/client";

const healthOrder = ["offline", "degraded", "healthy", "idle"] as const satisfies readonly HomeProject["health"][];

/** By health, the worst first, then by failure rate, backlog and name. */
export function byHealth(projects: readonly HomeProject[]): HomeProject[] {
  return projects.toSorted(
    (a, b) =>
      healthOrder.indexOf(a.health) - healthOrder.indexOf(b.health) ||
      b.failure_rate_24h - a.failure_rate_24h ||
      b.backlog - a.backlog ||
      a.name.localeCompare(b.name),
  );
}
