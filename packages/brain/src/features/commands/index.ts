import type { Metrics } from "../../platform/metrics.ts";
import type { ProjectLabels } from "../projects/index.ts";
import { type CommandDeps, createClaim } from "./claim.ts";
import { createIssue, type IssuedCommand } from "./issue.ts";
import { createCommandMetrics } from "./metrics.ts";
import { createReports } from "./report.ts";
import { createResultSignal } from "./result-signal.ts";
import { createWorkSignal } from "./work-signal.ts";

export type { ClaimedCommand } from "./claim.ts";
export type { IssuedCommand, NewCommand } from "./issue.ts";
export { pruneCommands } from "./loops.ts";
export type { ReportedResult } from "./report.ts";
export type { CommandOutcome, EndedCommand } from "./result-signal.ts";
export { commandRoutes } from "./routes.ts";
export { checkRedispatch, commandSettings } from "./settings.ts";
export { commandMoves } from "./states.ts";
export { cancelPending, forgetIssuer } from "./store.ts";

export interface CommandsDeps extends Omit<CommandDeps, "counted"> {
  readonly metrics: Pick<Metrics, "counter">;
  readonly labels: Pick<ProjectLabels, "of" | "whenKnown">;
  /** Names this process among the replicas. */
  readonly processId: string;
  /** Told of commands whose public row changed, for the live hub; must not throw. */
  readonly publish: (change: { projectId: string; topic: "command.changed"; ids: string[] }) => void;
}

/** Commands: issuing, claiming, waiting for work and for results, storing what agents report. */
export function createCommands(given: CommandsDeps) {
  const { log, publish } = given;
  const counted = createCommandMetrics(given.metrics, given.labels);
  const deps: CommandDeps = { ...given, counted };
  const work = createWorkSignal(deps);
  const results = createResultSignal(given);
  const changed = ({ project_id: projectId, id }: Pick<IssuedCommand, "project_id" | "id">) =>
    publish({ projectId, topic: "command.changed", ids: [id] });
  const reports = createReports({
    ...deps,
    ended(commands) {
      for (const command of commands) changed(command);
      results.ended(commands);
    },
  });

  return {
    claim: createClaim(deps),
    reports,
    work,
    counted,
    /** Writes a pending command inside the caller's transaction; null when the project has its idempotency key already. */
    issue: createIssue(given),
    /** Commands that were issued have been committed: their agents are told in every process. Never throws, never waits. */
    offer(...commands: readonly IssuedCommand[]): void {
      for (const command of commands) {
        counted.moved(command, "pending");
        changed(command);
      }
      for (const agentId of new Set(commands.map(({ agent_id }) => agent_id))) {
        if (agentId === null) continue;
        work
          .announce(agentId)
          .catch((error: Error) => log.warn("commands.announce_failed", { message: error.message }));
      }
    },
    awaitResult: results.awaitResult,
    onEnded: results.onEnded,
    async start(): Promise<void> {
      await Promise.all([work.start(), results.start()]);
    },
    async stop(): Promise<void> {
      await Promise.all([work.stop(), results.stop()]);
    },
  };
}

export type Commands = ReturnType<typeof createCommands>;
