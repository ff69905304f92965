import type { Agent } from "@svc/client";

export type StepState = "done" | "now" | "todo";

type Greeted = Pick<Agent, "id" | "state" | "last_seen_at" | "engine_adapters" | "created_at">;

interface Facts {
  agents: readonly Greeted[];
  engine: string;
  /** Whether a task of the engine is there. */
  hasTask: boolean;
}

const isSeen = (agent: Greeted): boolean => Boolean(agent.last_seen_at) || agent.state === "online";
const watches = (agent: Greeted, engine: string): boolean => agent.engine_adapters.includes(engine);

/** Where a new project stands with one engine: the first step that is not done is the current one. */
export function stepsOf({ agents, engine, hasTask }: Facts) {
  const hasHello = hasTask || agents.some((agent) => isSeen(agent) && watches(agent, engine));
  const isMinted = hasHello || agents.some((agent) => !isSeen(agent) || watches(agent, engine));
  return {
    minted: state(isMinted, true),
    hello: state(hasHello, isMinted),
    event: state(hasTask, hasHello),
    task: state(hasTask, hasTask),
  };
}

function state(isDone: boolean, isReached: boolean): StepState {
  if (isDone) return "done";
  return isReached ? "now" : "todo";
}

/** The agent that an engine's steps tell of: one that watches it, else one that nobody has heard of yet; `mintedId` and newer ones first. */
export function agentOf<Row extends Greeted>(
  agents: readonly Row[],
  engine: string,
  mintedId?: string,
): Row | undefined {
  const rank = (agent: Row) =>
    watches(agent, engine) ? (agent.state === "online" ? 0 : 1) : isSeen(agent) ? 3 : agent.id === mintedId ? 1.5 : 2;
  return agents
    .filter((agent) => rank(agent) < 3)
    .toSorted((a, b) => rank(a) - rank(b) || b.created_at.localeCompare(a.created_at))[0];
}

/** Engines that agents of the project watch, each once. */
export function watchedEngines(agents: readonly Greeted[]): string[] {
  return [...new Set(agents.flatMap(({ engine_adapters }) => engine_adapters))];
}
