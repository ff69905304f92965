import type { Core } from "../../../schema/tables/index.ts";
import { type Audit, ownOrigin } from "../../audit/index.ts";
import { endOperation, type PendingOperation, pendingOperations } from "./operations-store.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

export interface SettleDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  /** Called with errors of checks in the background. */
  readonly onError: (error: unknown) => void;
}

/** Operations per round. */
const perRound = 500;

/** Ends operations whose outcome is known. Safe in every process, since only one wins each row. */
export function createSettling({ database, clock, audit, onError }: SettleDeps) {
  let running: Promise<unknown> | null = null;
  let isWoken = false;

  /** @returns how many operations ended. */
  async function settle(): Promise<number> {
    const now = clock.now();
    let ended = 0;
    for (const operation of await pendingOperations(database, perRound)) {
      const verdict = verdictOf(operation, now);
      if (verdict !== null && (await end(operation, verdict, now))) ended += 1;
    }
    return ended;
  }

  const end = ({ row, agentId }: PendingOperation, verdict: Verdict, now: Date): Promise<boolean> =>
    database.write(async (tx) => {
      const { status, error, isExecutorLost } = verdict;
      if (!(await endOperation(tx, row.id, { status, error, updated_at: now }))) return false;
      if (isExecutorLost) {
        await audit.append(tx, [
          {
            ...ownOrigin,
            action: "schedule.external_control.executor_lost",
            target_type: "schedule",
            target_id: row.schedule_id,
            project_id: row.project_id,
            result: "failed",
            metadata: { operation_id: row.id, command_id: row.command_id, agent_id: agentId, action: row.action },
          },
        ]);
      }
      return true;
    });

  return {
    settle,
    /** Something changed that may end an operation: checks all in the background. Never throws, never waits. */
    wake(): void {
      isWoken = true;
      running ??= (async () => {
        while (isWoken) {
          isWoken = false;
          await settle().catch(onError);
        }
        running = null;
      })();
    },
    /** Resolves when no check runs in the background. */
    async idle(): Promise<void> {
      await running;
    },
  };
}
