import type { HomeProject } from "@svc/client";

const gravity = ["offline", "degraded", "healthy", "idle"] as const satisfies readonly HomeProject["health"][];

/** By health, the worst first, then by failure rate, backlog and name. */
export function byTrouble(projects: readonly HomeProject[]): HomeProject[] {
  return projects.toSorted(
    (a, b) =>
      gravity.indexOf(a.health) - gravity.indexOf(b.health) ||
      b.failure_rate_24h - a.failure_rate_24h ||
      b.backlog - a.backlog ||
      a.name.localeCompare(b.name),
  );
}
