import { capabilityOfAction } from "@svc/protocol";
import type { Agents } from "../../agents/index.ts";
import type { NewCommand } from "../../commands/index.ts";
import type { Requester, SendDeps } from "./send.ts";

export interface ResyncDeps extends SendDeps {
  readonly agents: Pick<Agents, "advertised">;
}

export interface Resync {
  readonly agents_dispatched: number;
  readonly schedulers_observed: string[];
}

const action = "schedule.resync";
/** Agents that one request reaches. */
const maxAgents = 500;
/** Names in the audit row. */
const maxNamed = 50;

/** Asks every online agent with a scheduler to report all its schedules. */
export function createResync({ database, audit, commands, agents }: ResyncDeps) {
  return async function resync({ projectId, origin }: Requester): Promise<Resync> {
    const found = await agents.advertised(projectId, maxAgents);
    const wanted = found.flatMap(({ agent_id: agentId, capabilities }) =>
      Object.keys(capabilities)
        .filter((scheduler) => capabilities[scheduler]?.includes(capabilityOfAction[action]) === true)
        .map(
          (scheduler): NewCommand => ({
            ...{ projectId, agentId, action },
            target: { type: "scheduler", id: scheduler },
            parameters: { engine: scheduler },
            issuedBy: origin.user_id,
            sourceIp: origin.source_ip,
            origin,
          }),
        ),
    );
    const issued = await database.write(async (tx) => {
      const sent = (await commands.issueIn(tx, wanted)).commands;
      const answer = answerOf(sent);
      await audit.append(tx, [
        {
          ...origin,
          action,
          target_type: "project",
          target_id: projectId,
          project_id: projectId,
          metadata: { ...answer, schedulers_observed: answer.schedulers_observed.slice(0, maxNamed) },
        },
      ]);
      return { sent, answer };
    });
    commands.offer(...issued.sent);
    return issued.answer;
  };
}

const answerOf = (
  sent: readonly { readonly agent_id: string | null; readonly target_id: string | null }[],
): Resync => ({
  agents_dispatched: new Set(sent.map(({ agent_id }) => agent_id)).size,
  schedulers_observed: [...new Set(sent.flatMap(({ target_id }) => target_id ?? []))].sort(),
});
