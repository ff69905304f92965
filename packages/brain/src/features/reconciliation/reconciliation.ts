import type { Log } from "../../platform/log.ts";
import type { Metrics } from "../../platform/metrics.ts";
import type { Commands, ReportedResult } from "../commands/index.ts";
import type { ProjectLabels } from "../projects/index.ts";
import { type CorrectDeps, createCorrect } from "./correct.ts";
import { createEnds } from "./note-ends.ts";
import { Sweep, type SweepDeps } from "./sweep.ts";

export interface ReconciliationDeps extends Omit<SweepDeps, "commands">, CorrectDeps {
  readonly commands: Pick<Commands, "issue" | "onReported">;
  readonly metrics: Pick<Metrics, "counter">;
  readonly labels: Pick<ProjectLabels, "of" | "whenKnown">;
  readonly log: Log;
}

/** Reconciliation: engines are asked about tasks that have not ended for long, and what they answer corrects the tasks. */
export function createReconciliation(deps: ReconciliationDeps) {
  const { commands, labels, log } = deps;
  const correct = createCorrect(deps);
  const ends = createEnds(deps);
  const judging = new Set<Promise<void>>();
  const answers = deps.metrics.counter({
    name: "svc_reconciliations_total",
    help: "answers of engines about stale tasks, by what came of them",
    labels: ["project", "outcome"],
  });

  async function judge(reported: ReportedResult): Promise<void> {
    const { id, project_id: projectId } = reported.command;
    try {
      const outcome = await correct(reported);
      labels.whenKnown(new Set([projectId]), () => {
        const project = labels.of(projectId);
        if (project !== undefined) answers.inc({ project, outcome });
      });
    } catch (error) {
      // The task is stale still, so the next sweep but one asks again; where it ended, the next one writes the audit row.
      log.warn("reconciliation.correction_failed", { command_id: id, message: (error as Error).message });
    }
  }

  commands.onReported("reconcile_task", (reported) => {
    const judged = judge(reported).finally(() => judging.delete(judged));
    judging.add(judged);
  });

  const sweep = new Sweep(deps);
  return {
    /** Has agents ask about stale tasks; gives how many commands were made for it. */
    sweep: (signal: AbortSignal): Promise<number> => sweep.run(signal),
    /** Writes the audit rows of tasks that were ended by a process that died before it could. */
    noteEnds: () => ends.noteLeft(deps.clock.now()),
    /** Resolves when the answers so far are judged. */
    async settled(): Promise<void> {
      await Promise.all(judging);
    },
  };
}

export type Reconciliation = ReturnType<typeof createReconciliation>;
