import type { Agent } from "@svc/client";
import { ChoiceField } from "../../ui/Field.tsx";
import { nameText } from "../../ui/format.ts";
import { isPolling } from "./able.ts";

interface AgentFieldProps {
  agents: readonly Agent[];
  value: string;
  /** What the empty choice means, where the service may choose; without it one agent must be named. */
  anyWords?: string;
  onChange: (agentId: string) => void;
}

/** Which agent is asked. With a single one there is nothing to choose, but it is named; without one nothing is said. */
export function AgentField({ agents, value, anyWords, onChange }: AgentFieldProps) {
  const nameOf = (agent: Agent) =>
    `${nameText(agent.name)}${isPolling(agent) ? " (says nothing of what it can do)" : ""}`;
  const [first] = agents;
  if (first === undefined) return null;
  if (agents.length === 1) {
    return (
      <p className="t2">
        It goes to the agent <b className="t1">{nameOf(first)}</b>.
      </p>
    );
  }
  return (
    <ChoiceField
      label="Agent"
      value={namedAgent(agents, value).agent_id ?? ""}
      options={[
        ...(anyWords === undefined || !mayBeUnnamed(agents) ? [] : [{ value: "", label: anyWords }]),
        ...agents.map((agent) => ({ value: agent.id, label: nameOf(agent) })),
      ]}
      onChange={onChange}
    />
  );
}

/** The agent that a request names: the chosen one while it can be asked, else the first where there is no other or the service would find none. */
export function namedAgent(agents: readonly Agent[], chosen: string): { agent_id?: string } {
  const isThere = agents.some(({ id }) => id === chosen);
  const id = isThere ? chosen : agents.length === 1 || !mayBeUnnamed(agents) ? agents[0]?.id : undefined;
  return id === undefined ? {} : { agent_id: id };
}

/** The service chooses only among agents that said what they can do. */
const mayBeUnnamed = (agents: readonly Agent[]): boolean => agents.some((agent) => !isPolling(agent));
