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

/** An event that is not stored after this time never will be. */
const givenUpMs = days(1);
const endsPerLook = 1000;

/**
 * Writes one audit row for each task that a correction ended, also when the process dies between the event and the row: nobody corrects the
 * task again then, so that the end is noted down before its event is stored, and taken up by a later look.
 */
export function createEnds({ database, audit }: EndsDeps) {
  /** Of several terminal corrections only the one that made the row is told of. */
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
    /** To be called before the event is stored. */
    expect: (end: ExpectedEnd): Promise<void> => retryTransient(() => database.write((tx) => expectEnd(tx, end))),
    /** To be called once the event is stored. */
    async stored(end: ExpectedEnd): Promise<void> {
      await close(end, await isWinner(end));
    },
    /** Writes the rows that processes left behind. */
    async noteLeft(now: Date): Promise<void> {
      for (const end of await expectedEnds(database, { limit: endsPerLook })) {
        const hasWon = await isWinner(end);
        // Its event may be on its way.
        if (!hasWon && now.getTime() - Date.parse(end.expectedAt) < givenUpMs) continue;
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
