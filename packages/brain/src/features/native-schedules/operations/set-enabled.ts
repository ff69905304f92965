import { ApiError } from "../../../platform/http/error-codes.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { CommandRow, ExternalControlOperationRow, ScheduleRow } from "../../../schema/tables/index.ts";
import { findPending, insertOperation } from "./operations-store.ts";
import { agentFor, commandAbout, entryAbout, type Requester, type SendDeps } from "./send.ts";

/** How often a request is repeated when another one came first. */
const maxAttempts = 3;

/**
 * Asks the scheduler of an engine to enable or disable one of its schedules. While the same request is pending, its operation is returned.
 *
 * @throws ApiError `conflict` with the reason `operation_pending` while the opposite was requested, or `no_online_agent`.
 */
export function createSetNativeEnabled(deps: SendDeps) {
  const { database, clock, audit, commands } = deps;

  return async function setNativeEnabled(
    schedule: ScheduleRow,
    desired: boolean,
    requester: Requester,
  ): Promise<{ readonly operationId: string }> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const pending = await findPending(database.read, schedule);
      if (pending !== undefined) return { operationId: sameRequest(pending, desired).id };
      const begun = await begin(schedule, desired, requester);
      if (begun !== null) {
        commands.offer(begun.command);
        return { operationId: begun.operationId };
      }
    }
    throw operationPending();
  };

  /** Null when another request came first, or the agent was revoked. */
  async function begin(
    schedule: ScheduleRow,
    desired: boolean,
    { origin }: Requester,
  ): Promise<{ readonly command: CommandRow; readonly operationId: string } | null> {
    const action = desired ? "schedule.enable" : "schedule.disable";
    const chosen = await agentFor(deps, schedule, action);
    if ("reason" in chosen) throw noAgent(schedule);
    const { agentId } = chosen;
    const operationId = uuidV7(clock);
    const begun = await database
      .write(async (tx) => {
        const issued = await commands.issueIn(tx, [commandAbout(schedule, { action, agentId, origin })]);
        const [command] = issued.commands;
        if (command === undefined) throw new Overtaken();
        const isFirst = await insertOperation(tx, {
          ...{ id: operationId, project_id: schedule.project_id, schedule_id: schedule.id, command_id: command.id },
          ...{ action, status: "pending", desired_is_enabled: desired, error: null },
          ...{ created_at: command.issued_at, updated_at: command.issued_at },
        });
        if (!isFirst) throw new Overtaken();
        const facts = { operation_id: operationId, command_id: command.id, agent_id: agentId };
        await audit.append(tx, [entryAbout(schedule, action, origin, facts)]);
        return command;
      })
      .catch((error: unknown) => {
        if (error instanceof Overtaken) return null;
        throw error;
      });
    return begun === null ? null : { command: begun, operationId };
  }
}

/** Undoes the transaction. */
class Overtaken extends Error {}

function sameRequest(pending: ExternalControlOperationRow, desired: boolean): ExternalControlOperationRow {
  if (pending.desired_is_enabled === desired) return pending;
  throw operationPending(pending.id);
}

const operationPending = (operationId?: string): ApiError =>
  new ApiError(
    "conflict",
    { reason: "operation_pending", ...(operationId !== undefined && { operation_id: operationId }) },
    { message: "an earlier request to enable or disable this schedule is pending; try again when it has ended" },
  );

const noAgent = ({ scheduler }: ScheduleRow): ApiError =>
  new ApiError(
    "conflict",
    { reason: "no_online_agent" },
    { message: `no online agent can enable and disable schedules of ${scheduler}` },
  );
