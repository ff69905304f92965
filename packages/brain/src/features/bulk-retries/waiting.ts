import type { Kysely } from "kysely";
import type { Tables } from "../../schema/tables/index.ts";
import { openStretches } from "./seal.ts";
import { openWithRoom, projectsOf } from "./store.ts";

/** For which of these agents children wait at `now`, and of which engines; each pair once. */
export async function waitingFor(
  db: Kysely<Tables>,
  agentIds: readonly string[],
  now: Date,
): Promise<{ agentId: string; action: string; engine: string }[]> {
  const open = await openWithRoom(db, agentIds, now);
  if (open.length === 0) return [];
  /** By agent, and by project for whoever is there. */
  const engines = new Map<string, Set<string>>();
  for (const { project_id, target_agent_id, stretches } of open) {
    const key = target_agent_id ?? project_id;
    const known = engines.get(key) ?? new Set();
    engines.set(key, known);
    for (const { engine } of openStretches({ stretches })) known.add(engine);
  }
  return (await projectsOf(db, agentIds)).flatMap(({ id, project_id }) => {
    const own = new Set([...(engines.get(id) ?? []), ...(engines.get(project_id) ?? [])]);
    return [...own].map((engine) => ({ agentId: id, action: "bulk_retry", engine }));
  });
}
