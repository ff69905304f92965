import { cutCharacters, idNamespaces, readInstant, type TaskKind, terminalTaskStates, uuidV5 } from "@svc/protocol";
import type { CommandRow } from "../../schema/tables/index.ts";
import type { ReportedResult } from "../commands/index.ts";
import type { Ingest } from "../ingest/index.ts";
import { createEnds, type EndsDeps } from "./note-ends.ts";
import { findTaskState } from "./reads.ts";

export interface CorrectDeps extends EndsDeps {
  readonly ingest: Pick<Ingest, "submit">;
}

/** Outcome of an answer: it corrected the task, agreed with it, gave no state, or the command failed. */
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
 * Applies an agent's answer about a stale task. A correction goes through ingest as an event, so the task remains derived from its events.
 * A second answer to the same command has the same event id.
 */
export function createCorrect({ database, ingest, audit }: CorrectDeps) {
  const ends = createEnds({ database, audit });

  return async function correct({ command, status, result, now }: ReportedResult): Promise<ReconcileOutcome> {
    if (status !== "completed") return "failed";
    const engine = command.engine as string;
    const taskId = command.target_id as string;
    const { engine_state: state } = result;
    if (!isCorrectingState(state)) return "unknown";
    const scope = { projectId: command.project_id, engine, taskId };
    const task = await findTaskState(database, scope);
    if (task === undefined || terminal.has(task.state) || task.state === state) return "unchanged";

    const id = uuidV5(idNamespaces.reconciliation, command.id);
    const endedAt = command.completed_at ?? now;
    const isTerminal = terminal.has(state);
    const agentId = command.agent_id as string;
    const end = isTerminal
      ? {
          ...scope,
          eventId: id,
          state,
          stateBefore: task.state,
          agentId,
          commandId: command.id,
          expectedAt: now.toISOString(),
        }
      : null;
    if (end !== null) await ends.expect(end);
    const { inserted } = await ingest.submit({
      projectId: command.project_id,
      agentId,
      // Ingest replaces a later event time with this one.
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
    if (end !== null) await ends.stored(end);
    return inserted === 0 ? "unchanged" : "corrected";
  };
}

const isCorrectingState = (state: unknown): state is keyof typeof kindOf =>
  typeof state === "string" && Object.hasOwn(kindOf, state);

/** Event time in milliseconds. For an open state, the time of the question, so that anything observed since wins. */
function timeOf(
  command: CommandRow,
  { isTerminal, endedAt, result }: { isTerminal: boolean; endedAt: Date; result: Readonly<Record<string, unknown>> },
): number {
  if (!isTerminal) return command.issued_at.getTime();
  return readInstant(result.finished_at, { zone: "utc" }) ?? endedAt.getTime();
}
