import type { Agent } from "@svc/client";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { nameText } from "../../../ui/time/format.ts";
import { isPolling } from "./able.ts";

interface AgentFieldProps {
  agents: readonly Agent[];
  /** The one that was chosen; empty while none was. */
  value: string;
  /** What the empty choice means, where the service may choose; without it one agent must be named, the first unless another is chosen. */
  anyWords?: string;
  onChange: (agentId: string) => void;
}

/**
 * Which agent is asked. With a single one there is nothing to choose, but it is named; without one nothing is said. Where one must be named,
 * a choice stays one, also of those that are left.
 */
export function AgentField({ agents, value, anyWords, onChange }: AgentFieldProps) {
  const nameOf = (agent: Agent) =>
    `${nameText(agent.name)}${isPolling(agent) ? " (says nothing of what it can do)" : ""}`;
  const [first] = agents;
  if (first === undefined) return null;
  const isRequired = anyWords === undefined;
  if (agents.length === 1 && !(isRequired && value !== "")) {
    return (
      <p className="t2">
        It goes to the agent <b className="t1">{nameOf(first)}</b>.
      </p>
    );
  }
  const shown = (isRequired ? requiredId(agents, value) : namedAgent(agents, value).agent_id) ?? "";
  const hasEmpty = isRequired ? shown === "" : mayBeUnnamed(agents);
  return (
    <ChoiceField
      label="Agent"
      value={shown}
      options={[
        ...(hasEmpty ? [["", anyWords ?? "none"] as const] : []),
        ...agents.map((agent) => [agent.id, nameOf(agent)] as const),
      ]}
      onChange={onChange}
    />
  );
}

interface Choice {
  agents: readonly Pick<Agent, "id">[];
  /** Why none of them may be asked at all. */
  reason: string | null;
}

/** The agent of a request that must name one, or why it has none. Another than the chosen one is not taken for it: it would act elsewhere. */
export function requiredAgent({ agents, reason }: Choice, chosen: string) {
  const agentId = requiredId(agents, chosen);
  const gone = agentId === undefined ? "The chosen agent has gone or cannot do this: choose one" : null;
  return { agentId, reason: reason ?? gone };
}

const requiredId = (agents: Choice["agents"], chosen: string): string | undefined =>
  (chosen === "" ? agents[0] : agents.find(({ id }) => id === chosen))?.id;

/** The agent that a request names: the chosen one while it can be asked, else the first where there is no other or the service would find none. */
export function namedAgent(agents: readonly Agent[], chosen: string): { agent_id?: string } {
  const isThere = agents.some(({ id }) => id === chosen);
  const id = isThere ? chosen : agents.length === 1 || !mayBeUnnamed(agents) ? agents[0]?.id : undefined;
  return id === undefined ? {} : { agent_id: id };
}

/** The service chooses only among agents that said what they can do. */
const mayBeUnnamed = (agents: readonly Agent[]): boolean => agents.some((agent) => !isPolling(agent));
