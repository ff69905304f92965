import type { Db } from "../../../schema/tables/index.ts";
import { agentsOnlineWith, findAgentsWithSessions } from "./capability-reads.ts";
import { type CommandNeeds, obstacleOf } from "./verdict.ts";

/** Agents of the project with a session that may be given such a command, those seen last first; with `among` those of them, in no promised order. */
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
