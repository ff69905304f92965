import type { Agent } from "@svc/client";
import { ChoiceField } from "../../ui/Field.tsx";
import { nameText } from "../../ui/format.ts";
import { isPolling } from "./able.ts";

interface AgentFieldProps {
  agents: readonly Agent[];
  value: string;
  /** What the empty choice means; without it one agent must be named. */
  anyWords?: string;
  onChange: (agentId: string) => void;
}

/** Which agent is asked. With a single one there is nothing to choose, but it is named. */
export function AgentField({ agents, value, anyWords, onChange }: AgentFieldProps) {
  const nameOf = (agent: Agent) =>
    `${nameText(agent.name)}${isPolling(agent) ? " (says nothing of what it can do)" : ""}`;
  const [only] = agents;
  if (agents.length === 1 && only) {
    return (
      <p className="t2">
        It goes to the agent <b className="t1">{nameOf(only)}</b>.
      </p>
    );
  }
  return (
    <ChoiceField
      label="Agent"
      value={value}
      options={[
        ...(anyWords === undefined ? [] : [{ value: "", label: anyWords }]),
        ...agents.map((agent) => ({ value: agent.id, label: nameOf(agent) })),
      ]}
      onChange={onChange}
    />
  );
}

/** The agent that a request names: the chosen one, else the only one. */
export const namedAgent = (agents: readonly Agent[], chosen: string): { agent_id?: string } => {
  const id = chosen === "" && agents.length === 1 ? agents[0]?.id : chosen;
  return id ? { agent_id: id } : {};
};
