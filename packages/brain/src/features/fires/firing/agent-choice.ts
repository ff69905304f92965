import type { Db, ScheduleRow } from "../../../schema/tables/index.ts";
import { eligibleAgents } from "../../agents/index.ts";

type Target = Pick<ScheduleRow, "project_id" | "engine">;

/**
 * Chooses the agents of fires: online WebSocket agents with a session that can submit tasks of the engine. The agents of a project and engine
 * are read once, and take turns, the most recently seen one first.
 */
export function createAgentChoice(db: Db) {
  const read = new Map<string, { readonly agents: readonly string[]; next: number }>();

  /** Null while no agent qualifies. */
  return async function chooseAgent({ project_id: projectId, engine }: Target): Promise<string | null> {
    const key = `${projectId} ${engine}`;
    let known = read.get(key);
    if (known === undefined) {
      const needs = { action: "schedule.fire", engine, hasInputs: false };
      known = { agents: await eligibleAgents(db, needs, { projectId }), next: 0 };
      read.set(key, known);
    }
    const agent = known.agents[known.next % known.agents.length] ?? null;
    known.next += 1;
    return agent;
  };
}
