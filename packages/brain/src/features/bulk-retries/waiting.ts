import type { Kysely } from "kysely";
import type { Tables } from "../../schema/tables/index.ts";
import type { WaitingChildren } from "../commands/index.ts";
import { roomOf } from "./room.ts";
import { openStretches } from "./seal.ts";
import { openWithRoom, projectsOf } from "./store.ts";

/** For which of these agents children wait at `now`, of which engines, and with how much room; what only the agent may be given apart. */
export async function waitingFor(
  db: Kysely<Tables>,
  agentIds: readonly string[],
  now: Date,
): Promise<WaitingChildren[]> {
  const open = await openWithRoom(db, agentIds, now);
  if (open.length === 0) return [];
  /** By agent, and by project for whoever is there. */
  const rooms = new Map<string, Map<string, number>>();
  for (const row of open) {
    const key = row.target_agent_id ?? row.project_id;
    const known = rooms.get(key) ?? new Map<string, number>();
    rooms.set(key, known);
    for (const { engine } of openStretches(row)) known.set(engine, (known.get(engine) ?? 0) + roomOf(row, now));
  }
  return (await projectsOf(db, agentIds)).flatMap(({ id, project_id }) => {
    const ofKey = (key: string) =>
      [...(rooms.get(key) ?? [])].map(([engine, room]) => ({
        agentId: id,
        action: "bulk_retry",
        engine,
        pool: `${key} ${engine}`,
        room,
      }));
    return [...ofKey(id), ...ofKey(project_id)];
  });
}
