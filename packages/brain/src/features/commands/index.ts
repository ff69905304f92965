import type { Metrics } from "../../platform/metrics.ts";
import type { ProjectLabels } from "../projects/index.ts";
import { type CommandDeps, createClaim } from "./claim.ts";
import { createCommandMetrics } from "./metrics.ts";
import { createReports } from "./report.ts";
import { createWorkSignal } from "./work-signal.ts";

export type { ClaimedCommand } from "./claim.ts";
export { pruneCommands } from "./loops.ts";
export { commandSettings } from "./settings.ts";
export { commandMoves } from "./states.ts";
export { cancelPending, forgetIssuer } from "./store.ts";

/** Commands as far as delivery goes: claiming, waiting for work, storing what agents report. */
export function createCommands(
  given: Omit<CommandDeps, "counted"> & {
    metrics: Pick<Metrics, "counter">;
    labels: Pick<ProjectLabels, "of" | "whenKnown">;
  },
) {
  const counted = createCommandMetrics(given.metrics, given.labels);
  const deps: CommandDeps = { ...given, counted };
  return { claim: createClaim(deps), reports: createReports(deps), work: createWorkSignal(deps), counted };
}

export type Commands = ReturnType<typeof createCommands>;
