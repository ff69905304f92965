import { ApiError } from "../../../platform/http/error-codes.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { agentFor, commandAbout, entryAbout, type Requester, type SendDeps, type Unsendable } from "./send.ts";

const action = "schedule.trigger_now";

/**
 * Asks the scheduler of an engine to start the task of one of its schedules once. No fire is recorded.
 *
 * @throws ApiError `not_found` with the reason `no_online_agent` or `scheduler_not_installed`.
 */
export function createTriggerNative(deps: SendDeps) {
  const { database, audit, commands } = deps;

  return async function triggerNative(
    schedule: ScheduleRow,
    { origin }: Requester,
  ): Promise<{ readonly commandId: string }> {
    const chosen = await agentFor(deps, schedule, action);
    if ("reason" in chosen) throw noAgent(schedule, chosen.reason);
    const { agentId } = chosen;
    const command = await database.write(async (tx) => {
      const issued = await commands.issueIn(tx, [commandAbout(schedule, { action, agentId, origin })]);
      const [created] = issued.commands;
      // The agent was revoked since it was chosen.
      if (created === undefined) throw noAgent(schedule, "no_online_agent");
      const facts = { command_id: created.id, agent_id: agentId };
      await audit.append(tx, [entryAbout(schedule, action, origin, facts)]);
      return created;
    });
    commands.offer(command);
    return { commandId: command.id };
  };
}

const noAgent = ({ scheduler }: ScheduleRow, reason: Unsendable): ApiError =>
  new ApiError(
    "not_found",
    { reason, scheduler },
    {
      message:
        reason === "no_online_agent"
          ? "no agent of the project is online"
          : `no online agent can run schedules of ${scheduler}`,
    },
  );
