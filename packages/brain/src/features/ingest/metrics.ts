import { type Redactor, taskRowId } from "@svc/protocol";
import type { Metrics } from "../../platform/metrics.ts";
import { createBoundedLabel } from "../../platform/metrics.ts";
import type { ProjectLabels } from "../projects/index.ts";
import { unnamed } from "../tasks/index.ts";
import type { TaskEvent } from "../tasks/thread.ts";
import type { ChangedTask, CommittedGroup } from "./commit/commit.ts";
import type { DropReason, PreparedEvent } from "./prepare-batch.ts";

interface KindTally {
  readonly labels: Record<"project" | "engine" | "kind", string>;
  count: number;
}

/** Names whose masked form is cached. */
const mostMaskedNames = 4_096;

export type IngestLabels = Pick<ProjectLabels, "of" | "whenKnown">;

/** The ingest metrics. */
export function createIngestMetrics(
  metrics: Pick<Metrics, "counter" | "histogram">,
  labels: IngestLabels,
  { mask }: Pick<Redactor, "mask">,
) {
  const taskNames = createBoundedLabel();
  const ingested = metrics.counter({
    name: "svc_events_ingested_total",
    help: "Events stored.",
    labels: ["project", "engine", "kind"],
  });
  const dropped = metrics.counter({
    name: "svc_events_dropped_total",
    help: "Events dropped permanently.",
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

  const maskedNames = new Map<string, string>();

  function maskedName(name: string): string {
    const known = maskedNames.get(name);
    if (known !== undefined) return known;
    if (maskedNames.size >= mostMaskedNames) maskedNames.clear();
    const masked = mask(name);
    maskedNames.set(name, masked);
    return masked;
  }

  const nameLabel = (projectId: string, name: string) =>
    taskNames.of(projectId, name === "" ? unnamed : maskedName(name));

  function count({ stored, tasks }: CommittedGroup): void {
    const rowName = rowNames(tasks);
    // Counted by label set first: a call to the registry costs several map lookups.
    const kinds = new Map<string, Map<string, KindTally>>();
    let last: TaskEvent | null = null;
    let ofScope = new Map<string, KindTally>();
    for (const { task } of stored) {
      const { projectId, engine, kind, name, runtime_ms } = task;
      const project = labels.of(projectId);
      if (project === undefined) continue;
      if (last === null || last.projectId !== projectId || last.engine !== engine) {
        const scope = projectId + engine;
        ofScope = kinds.get(scope) ?? new Map();
        kinds.set(scope, ofScope);
        last = task;
      }
      const known = ofScope.get(kind);
      if (known === undefined) ofScope.set(kind, { labels: { project, engine, kind }, count: 1 });
      else known.count += 1;
      if (runtime_ms !== null) {
        taskSeconds.observe({ project, task_name: nameLabel(projectId, name ?? rowName(task)) }, runtime_ms / 1000);
      }
    }
    for (const tallies of kinds.values()) for (const { labels, count } of tallies.values()) ingested.inc(labels, count);
    const moves = tallyOf<[string | undefined, string, string]>();
    for (const { projectId, name, stateBefore, stateAfter } of tasks) {
      if (stateBefore === stateAfter) continue;
      const project = labels.of(projectId);
      const label = project === undefined ? "" : nameLabel(projectId, name);
      moves.add(`${stateAfter}\0${label}\0${project}`, [project, label, stateAfter]);
    }
    for (const [[project, task_name, state], moved] of moves) {
      if (project !== undefined) projectTransitions.inc({ project, task_name, state }, moved);
      transitions.inc({ state }, moved);
    }
  }

  return {
    committed(group: CommittedGroup): void {
      labels.whenKnown(projectsOf(group.stored), () => count(group));
    },
    timed: (durationMs: number) => batchSeconds.observe(durationMs / 1000),
    dropped: (reason: DropReason, count: number) => dropped.inc({ reason }, count),
    /** Drops the task names of a project whose series end. */
    forget: (projectId: string) => taskNames.forget(projectId),
  };
}

/** The name of an event's task after the commit; empty without a task. Most events carry it, which avoids the lookup. */
function rowNames(tasks: readonly ChangedTask[]): (event: TaskEvent) => string {
  let names: Map<string, string> | null = null;
  return ({ projectId, engine, taskId }) => {
    names ??= new Map(tasks.map(({ id, name }) => [id, name]));
    return names.get(taskRowId(projectId, engine, taskId)) ?? "";
  };
}

function projectsOf(events: readonly PreparedEvent[]): Set<string> {
  const projects = new Set<string>();
  let last = "";
  for (const { task } of events) {
    if (task.projectId === last) continue;
    last = task.projectId;
    projects.add(last);
  }
  return projects;
}

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
