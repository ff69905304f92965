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

/** Reconciliation: asks engines about long unfinished tasks and corrects the tasks from their answers. */
export function createReconciliation(deps: ReconciliationDeps) {
  const { commands, labels, log } = deps;
  const correct = createCorrect(deps);
  const ends = createEnds(deps);
  const processing = new Set<Promise<void>>();
  const answers = deps.metrics.counter({
    name: "svc_reconciliations_total",
    help: "answers of engines about stale tasks, by outcome",
    labels: ["project", "outcome"],
  });

  async function process(reported: ReportedResult): Promise<void> {
    const { id, project_id: projectId } = reported.command;
    try {
      const outcome = await correct(reported);
      labels.whenKnown(new Set([projectId]), () => {
        const project = labels.of(projectId);
        if (project !== undefined) answers.inc({ project, outcome });
      });
    } catch (error) {
      // The task is still stale, so a later sweep asks again. If the correction was stored, the next sweep writes its audit row.
      log.warn("reconciliation.correction_failed", { command_id: id, message: (error as Error).message });
    }
  }

  commands.onReported("reconcile_task", (reported) => {
    const processed = process(reported).finally(() => processing.delete(processed));
    processing.add(processed);
  });

  const sweep = new Sweep(deps);
  return {
    /** Has agents ask about stale tasks; returns the number of issued commands. */
    sweep: (signal: AbortSignal): Promise<number> => sweep.run(signal),
    /** Writes the audit rows of corrections whose process died before it could write them. */
    noteEnds: () => ends.noteLeft(deps.clock.now()),
    /** Resolves when all answers so far are processed. */
    async settled(): Promise<void> {
      await Promise.all(processing);
    },
  };
}

export type Reconciliation = ReturnType<typeof createReconciliation>;
