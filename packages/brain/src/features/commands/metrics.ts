import type { Metrics } from "../../platform/metrics.ts";
import type { ProjectLabels } from "../projects/index.ts";
import type { CommandStatus } from "./states.ts";

export interface CommandMetrics {
  /** A command entered a status. */
  moved(command: { readonly project_id: string; readonly action: string }, status: CommandStatus): void;
  /** A result arrived that changed nothing. */
  late(status: "completed" | "failed"): void;
}

/** The metrics of commands. */
export function createCommandMetrics(
  metrics: Pick<Metrics, "counter">,
  labels: Pick<ProjectLabels, "of" | "whenKnown">,
): CommandMetrics {
  const moves = metrics.counter({
    name: "svc_commands_total",
    help: "transitions of commands into a status",
    labels: ["project", "action", "status"],
  });
  const lateResults = metrics.counter({
    name: "svc_command_late_results_total",
    help: "command results that changed nothing: too late, or from an earlier delivery",
    labels: ["status"],
  });
  return {
    moved({ project_id: projectId, action }, status) {
      labels.whenKnown(new Set([projectId]), () => {
        const project = labels.of(projectId);
        if (project !== undefined) moves.inc({ project, action, status });
      });
    },
    late: (status) => lateResults.inc({ status }),
  };
}
