import type { Agent } from "@svc/client";

export type StepState = "done" | "now" | "todo";

/** Where a new project stands: the first step that is not done is the current one. */
export function stepsOf(facts: { agent: Pick<Agent, "state" | "last_seen_at"> | undefined; taskCount: number }) {
  const { agent, taskCount } = facts;
  const hasTask = taskCount > 0;
  const hasHello = hasTask || Boolean(agent?.last_seen_at) || agent?.state === "online";
  const isMinted = hasHello || agent !== undefined;
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
