import {
  cutCharacters,
  idNamespaces,
  parseJson,
  readInstant,
  type TaskKind,
  terminalTaskStates,
  uuidV5,
} from "@svc/protocol";
import type { Database } from "../../platform/database/database.ts";
import { retryTransient } from "../../platform/database/retry-transient.ts";
import type { CommandRow, Tables } from "../../schema/tables/index.ts";
import { type Audit, ownOrigin } from "../audit/index.ts";
import type { ReportedResult } from "../commands/index.ts";
import type { Ingest } from "../ingest/index.ts";
import { winnerIdOf } from "../tasks/index.ts";
import { findTask, type TaskNow } from "./reads.ts";

export interface CorrectDeps {
  readonly database: Database<Tables>;
  readonly ingest: Pick<Ingest, "submit">;
  readonly audit: Pick<Audit, "record">;
}

/** What came of an answer: it corrected the task, agreed with it, told nothing, or was no answer. */
type ReconcileOutcome = "corrected" | "unchanged" | "unknown" | "failed";

const kindOf = {
  pending: "task.sent",
  started: "task.started",
  success: "task.succeeded",
  failure: "task.failed",
} as const satisfies Record<string, TaskKind>;
const terminal: ReadonlySet<string> = new Set(terminalTaskStates);
const exceptionCharacters = 500;

/**
 * Judges an agent's answer about a stale task (spec part 3, section 2.6). A correction is stored as an event on the way of all events: the
 * task stays the join of its events, and a second answer to the same command is the same event.
 */
export function createCorrect({ database, ingest, audit }: CorrectDeps) {
  return async function correct({ command, status, result, now }: ReportedResult): Promise<ReconcileOutcome> {
    if (status !== "completed") return "failed";
    const { engine, task_id: taskId } = parseJson(command.payload) as { engine: string; task_id: string };
    const { engine_state: state } = result;
    if (!isCorrectingState(state)) return "unknown";
    const scope = { projectId: command.project_id, engine, taskId };
    const task = await findTask(database, scope);
    if (task === undefined || terminal.has(task.state) || task.state === state) return "unchanged";

    const id = uuidV5(idNamespaces.reconciliation, command.id);
    const endedAt = command.completed_at ?? now;
    const isTerminal = terminal.has(state);
    const { inserted } = await ingest.submit({
      projectId: command.project_id,
      agentId: command.agent_id as string,
      // A time that lies ahead of this is replaced by it, as with any event.
      frameTs: endedAt.toISOString(),
      events: [
        {
          id,
          kind: kindOf[state],
          engine,
          task_id: taskId,
          occurred_at: new Date(timeOf(command, { isTerminal, endedAt, result })).toISOString(),
          data: {
            reconciled: true,
            attempt: task.attempt,
            ...(typeof result.exception === "string" && {
              exception: cutCharacters(result.exception, exceptionCharacters),
            }),
          },
        },
      ],
    });
    if (inserted === 0) return "unchanged";
    if (isTerminal) await noteEnd(command, { id, before: task, state, scope });
    return "corrected";
  };

  /** Of several terminal corrections only the one that made the row is told of. */
  async function noteEnd(
    command: CommandRow,
    { id, before, state, scope }: { id: string; before: TaskNow; state: string; scope: Parameters<typeof findTask>[1] },
  ): Promise<void> {
    const task = await findTask(database, scope);
    if (task === undefined || winnerIdOf(task.fold) !== id) return;
    const entry = {
      ...ownOrigin,
      action: "task.reconciled",
      target_type: "task",
      target_id: scope.taskId,
      project_id: scope.projectId,
      event_id: id,
      metadata: {
        engine: scope.engine,
        state,
        state_before: before.state,
        agent_id: command.agent_id,
        command_id: command.id,
      },
    };
    // The event is stored, and nobody corrects the task again.
    await retryTransient(() => audit.record(entry));
  }
}

const isCorrectingState = (state: unknown): state is keyof typeof kindOf =>
  typeof state === "string" && Object.hasOwn(kindOf, state);

/** When the task came into the state: not later than anything observed since, unless it ended. Milliseconds. */
function timeOf(
  command: CommandRow,
  { isTerminal, endedAt, result }: { isTerminal: boolean; endedAt: Date; result: Readonly<Record<string, unknown>> },
): number {
  if (!isTerminal) return command.issued_at.getTime();
  return readInstant(result.finished_at, { zone: "utc" }) ?? endedAt.getTime();
}
