import type { Agent } from "@svc/client";

export type StepState = "done" | "now" | "todo";

type OnboardingAgent = Pick<Agent, "id" | "state" | "last_seen_at" | "engine_adapters" | "created_at">;

interface Facts {
  agents: readonly OnboardingAgent[];
  engine: string;
  /** Whether the project has a task of the engine. */
  hasTask: boolean;
}

const isSeen = (agent: OnboardingAgent): boolean => Boolean(agent.last_seen_at) || agent.state === "online";
const watches = (agent: OnboardingAgent, engine: string): boolean => agent.engine_adapters.includes(engine);

/** The progress of a new project with one engine. The first step that is not done is the current one. */
export function stepsOf({ agents, engine, hasTask }: Facts) {
  const hasHello = hasTask || agents.some((agent) => isSeen(agent) && watches(agent, engine));
  const isCreated = hasHello || agents.some((agent) => !isSeen(agent) || watches(agent, engine));
  return {
    created: state(isCreated, true),
    hello: state(hasHello, isCreated),
    event: state(hasTask, hasHello),
    task: state(hasTask, hasTask),
  };
}

function state(isDone: boolean, isReached: boolean): StepState {
  if (isDone) return "done";
  return isReached ? "now" : "todo";
}

/** The agent shown for an engine: one that watches it, else one that never connected; `createdId` and newer ones first. */
export function agentOf<Row extends OnboardingAgent>(
  agents: readonly Row[],
  engine: string,
  createdId?: string,
): Row | undefined {
  const rank = (agent: Row) =>
    watches(agent, engine) ? (agent.state === "online" ? 0 : 1) : isSeen(agent) ? 3 : agent.id === createdId ? 1.5 : 2;
  return agents
    .filter((agent) => rank(agent) < 3)
    .toSorted((a, b) => rank(a) - rank(b) || b.created_at.localeCompare(a.created_at))[0];
}

/** The engines that agents of the project watch, without duplicates. */
export function watchedEngines(agents: readonly OnboardingAgent[]): string[] {
  return [...new Set(agents.flatMap(({ engine_adapters }) => engine_adapters))];
}
