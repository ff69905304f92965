import type { CommandRow, Db } from "../../../schema/tables/index.ts";
import type { ChildSource, Commands, WaitingChildren } from "../../commands/index.ts";
import { openRanges } from "../planning/seal.ts";
import type { EligibleAgents } from "../rounds/eligible-agents.ts";
import { allowanceOf } from "../rounds/limits.ts";
import { type RoundDeps, runRound } from "../rounds/round.ts";
import { fullWithUnnotedEnds, openWithAllowance, projectsOfAgents } from "../store.ts";

/**
 * Gives polls the children of bulk retries, which become commands only when a poll takes them.
 *
 * @param dueAt called with the time at which the request's rate allows more; null when something else decides.
 */
export function createChildSource(
  deps: RoundDeps & { readonly commands: Pick<Commands, "issueIn" | "offer"> },
  dueAt: (parentId: string, at: Date | null) => void,
): ChildSource {
  const { database, clock, commands } = deps;
  return {
    async take({ agentId, engines, max }) {
      const taken: CommandRow[] = [];
      const now = clock.now();
      // Only a result gives a full request new allowance, so no transaction is opened for other full ones.
      const found = await Promise.all([
        openWithAllowance(database.read, [agentId], now),
        fullWithUnnotedEnds(database.read, agentId, now),
      ]);
      const oldestFirst = found.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
      for (const row of oldestFirst) {
        if (taken.length >= max) break;
        if (!openRanges(row).some(({ engine }) => engines.has(engine))) continue;
        const eligible: EligibleAgents = async (_tx, _row, { engine }) => (engines.has(engine) ? [agentId] : []);
        const { issued, nextAt } = await runRound(deps, { parentId: row.id, eligible, limit: max - taken.length });
        commands.offer(...issued);
        dueAt(row.id, nextAt);
        taken.push(...issued);
      }
      return taken;
    },
    waitingFor: (agentIds) => waitingFor(database.read, agentIds, clock.now()),
  };
}

/** For which of these agents children wait at `now`, by engine and with their allowance. Children for a named agent are listed separately. */
export async function waitingFor(db: Db, agentIds: readonly string[], now: Date): Promise<WaitingChildren[]> {
  const open = await openWithAllowance(db, agentIds, now);
  if (open.length === 0) return [];
  /** By agent for requests that name one, otherwise by project. */
  const allowances = new Map<string, Map<string, number>>();
  for (const row of open) {
    const key = row.target_agent_id ?? row.project_id;
    const known = allowances.get(key) ?? new Map<string, number>();
    allowances.set(key, known);
    for (const { engine } of openRanges(row)) known.set(engine, (known.get(engine) ?? 0) + allowanceOf(row, now));
  }
  return (await projectsOfAgents(db, agentIds)).flatMap(({ id, project_id }) => {
    const ofKey = (key: string) =>
      [...(allowances.get(key) ?? [])].map(([engine, allowance]) => ({
        agentId: id,
        action: "bulk_retry",
        engine,
        pool: `${key} ${engine}`,
        allowance,
      }));
    return [...ofKey(id), ...ofKey(project_id)];
  });
}
