import type { Db } from "../../../schema/tables/index.ts";
import { agentsOnlineWith, findAgentsWithSessions } from "./capability-reads.ts";
import { type CommandNeeds, obstacleOf } from "./verdict.ts";

/** Agents of the project with a session eligible for the command, most recently seen first; with `among` only those, in no particular order. */
export async function eligibleAgents(
  db: Db,
  needs: CommandNeeds & { readonly engine: string },
  { projectId, among }: { projectId: string; among?: readonly string[] },
): Promise<string[]> {
  const agents =
    among === undefined
      ? await agentsOnlineWith(db, { projectId, engine: needs.engine })
      : await findAgentsWithSessions(db, projectId, among);
  return agents.filter(({ sessions }) => obstacleOf(sessions, needs) === null).map(({ id }) => id);
}
