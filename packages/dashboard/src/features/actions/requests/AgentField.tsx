import type { Agent } from "@svc/client";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { nameText } from "../../../ui/time/format.ts";
import { isPolling } from "./eligible-agents.ts";

interface AgentFieldProps {
  agents: readonly Agent[];
  /** Id of the chosen agent; empty while none is chosen. */
  value: string;
  /** Label of the empty choice, where the service picks the agent. Without it an agent is required; the first is the default. */
  anyLabel?: string;
  onChange: (agentId: string) => void;
}

/**
 * The choice of an agent. A single agent is shown without a choice; without agents nothing is shown. Where an agent is required, a choice
 * once made stays visible even when only one agent is left.
 */
export function AgentField({ agents, value, anyLabel, onChange }: AgentFieldProps) {
  const nameOf = (agent: Agent) => `${nameText(agent.name)}${isPolling(agent) ? " (capabilities unknown)" : ""}`;
  const [first] = agents;
  if (first === undefined) return null;
  const isRequired = anyLabel === undefined;
  if (agents.length === 1 && !(isRequired && value !== "")) {
    return (
      <p className="t2">
        Sent to agent <b className="t1">{nameOf(first)}</b>.
      </p>
    );
  }
  const shown = (isRequired ? requiredId(agents, value) : namedAgent(agents, value).agent_id) ?? "";
  const hasEmpty = isRequired ? shown === "" : servicePicks(agents);
  return (
    <ChoiceField
      label="Agent"
      value={shown}
      options={[
        ...(hasEmpty ? [["", anyLabel ?? "none"] as const] : []),
        ...agents.map((agent) => [agent.id, nameOf(agent)] as const),
      ]}
      onChange={onChange}
    />
  );
}

interface Choice {
  agents: readonly Pick<Agent, "id">[];
  /** Why no agent is eligible. */
  reason: string | null;
}

/** The agent of a request that requires one, or why there is none. It never replaces the chosen agent: another would act elsewhere. */
export function requiredAgent({ agents, reason }: Choice, chosen: string) {
  const agentId = requiredId(agents, chosen);
  const missing = agentId === undefined ? "The chosen agent is offline or can't do this. Choose another" : null;
  return { agentId, reason: reason ?? missing };
}

const requiredId = (agents: Choice["agents"], chosen: string): string | undefined =>
  (chosen === "" ? agents[0] : agents.find(({ id }) => id === chosen))?.id;

/** The agent in a request: the chosen one if it is eligible, else the first if it is the only one or the service could not pick one. */
export function namedAgent(agents: readonly Agent[], chosen: string): { agent_id?: string } {
  const isEligible = agents.some(({ id }) => id === chosen);
  const id = isEligible ? chosen : agents.length === 1 || !servicePicks(agents) ? agents[0]?.id : undefined;
  return id === undefined ? {} : { agent_id: id };
}

/** The service picks only among agents that reported their capabilities. */
const servicePicks = (agents: readonly Agent[]): boolean => agents.some((agent) => !isPolling(agent));
