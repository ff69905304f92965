import { retryTransient } from "../../platform/database/transactions/retry-transient.ts";
import { days } from "../../platform/durations.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { type Audit, type AuditEntry, ownOrigin } from "../audit/index.ts";
import { winnerIdOf } from "../tasks/index.ts";
import { type ExpectedEnd, expectEnd, expectedEnds, hasAuditRow, takeEnd } from "./ends-store.ts";
import { findTaskState } from "./reads.ts";

export interface EndsDeps {
  readonly database: BrainDatabase;
  readonly audit: Pick<Audit, "append">;
}

/** After this time, the event will no longer be stored. */
const abandonedAfterMs = days(1);
const endsPerScan = 1000;

/**
 * Writes one audit row for each task that a correction ended, even if the process dies between the event and the row. The task is not
 * corrected again then, so the expected end is recorded before its event is stored, and a later scan picks it up.
 */
export function createEnds({ database, audit }: EndsDeps) {
  /** Of several terminal corrections, only the one that decided the task state gets an audit row. */
  async function isWinner(end: ExpectedEnd): Promise<boolean> {
    const task = await findTaskState(database, end);
    return task !== undefined && winnerIdOf(task.fold) === end.eventId;
  }

  const close = (end: ExpectedEnd, hasWon: boolean): Promise<void> =>
    retryTransient(() =>
      database.write(async (tx) => {
        if (!(await takeEnd(tx, end)) || !hasWon || (await hasAuditRow(tx, end))) return;
        await audit.append(tx, entryOf(end));
      }),
    );

  return {
    /** Call before the event is stored. */
    expect: (end: ExpectedEnd): Promise<void> => retryTransient(() => database.write((tx) => expectEnd(tx, end))),
    /** Call after the event is stored. */
    async stored(end: ExpectedEnd): Promise<void> {
      await close(end, await isWinner(end));
    },
    /** Writes the audit rows that crashed processes left out. */
    async noteLeft(now: Date): Promise<void> {
      for (const end of await expectedEnds(database, { limit: endsPerScan })) {
        const hasWon = await isWinner(end);
        // Its event may still be stored.
        if (!hasWon && now.getTime() - Date.parse(end.expectedAt) < abandonedAfterMs) continue;
        await close(end, hasWon);
      }
    },
  };
}

const entryOf = (end: ExpectedEnd): AuditEntry => ({
  ...ownOrigin,
  action: "task.reconciled",
  target_type: "task",
  target_id: end.taskId,
  project_id: end.projectId,
  event_id: end.eventId,
  metadata: {
    engine: end.engine,
    state: end.state,
    state_before: end.stateBefore,
    agent_id: end.agentId,
    command_id: end.commandId,
  },
});
