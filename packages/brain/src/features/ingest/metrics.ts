import type { Metrics } from "../../platform/metrics.ts";
import { createBoundedLabel } from "../../platform/metrics.ts";
import { unnamed } from "../tasks/index.ts";
import type { CommittedGroup } from "./commit.ts";
import type { DropReason, PreparedEvent } from "./prepare.ts";

/** The ingest metrics of spec part 3, section 15. */
export function createIngestMetrics(metrics: Pick<Metrics, "counter" | "histogram">) {
  const taskNames = createBoundedLabel();
  const ingested = metrics.counter({
    name: "svc_events_ingested_total",
    help: "Events stored.",
    labels: ["project", "engine", "kind"],
  });
  const dropped = metrics.counter({
    name: "svc_events_dropped_total",
    help: "Events dropped for good.",
    labels: ["reason"],
  });
  const transitions = metrics.counter({
    name: "svc_tasks_total",
    help: "Transitions of tasks into a state.",
    labels: ["state"],
  });
  const projectTransitions = metrics.counter({
    name: "svc_project_tasks_total",
    help: "Transitions of a project's tasks into a state.",
    labels: ["project", "task_name", "state"],
  });
  const batchSeconds = metrics.histogram({
    name: "svc_ingest_batch_seconds",
    help: "Duration of one group commit.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  const taskSeconds = metrics.histogram({
    name: "svc_task_duration_seconds",
    help: "Run time of finished tasks.",
    labels: ["project", "task_name"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  });

  return {
    committed(inserted: readonly PreparedEvent[], { tasks }: CommittedGroup): void {
      // Counted by label set first: the registry costs several times a map look-up.
      const kinds = tallyOf<[string, string, string]>();
      for (const { projectId, engine, kind, name, runMs } of inserted) {
        kinds.add(`${kind}\0${engine}\0${projectId}`, [projectId, engine, kind]);
        if (runMs !== null) {
          taskSeconds.observe(
            { project: projectId, task_name: taskNames.of(projectId, name ?? unnamed) },
            runMs / 1000,
          );
        }
      }
      for (const [[project, engine, kind], count] of kinds) ingested.inc({ project, engine, kind }, count);
      const moves = tallyOf<[string, string, string]>();
      for (const { projectId, name, stateBefore, stateAfter } of tasks) {
        if (stateBefore === stateAfter) continue;
        const label = taskNames.of(projectId, name === "" ? unnamed : name);
        moves.add(`${stateAfter}\0${label}\0${projectId}`, [projectId, label, stateAfter]);
      }
      for (const [[project, task_name, state], count] of moves) {
        projectTransitions.inc({ project, task_name, state }, count);
        transitions.inc({ state }, count);
      }
    },
    timed: (durationMs: number) => batchSeconds.observe(durationMs / 1000),
    dropped: (reason: DropReason, count: number) => dropped.inc({ reason }, count),
    /** Ends the series of a project that is gone. */
    forget: (projectId: string) => taskNames.forget(projectId),
  };
}

export type IngestMetrics = ReturnType<typeof createIngestMetrics>;

function tallyOf<Labels>() {
  const tally = new Map<string, [Labels, number]>();
  return {
    add(key: string, labels: Labels): void {
      const known = tally.get(key);
      if (known === undefined) tally.set(key, [labels, 1]);
      else known[1] += 1;
    },
    [Symbol.iterator]: () => tally.values(),
  };
}
