import type { DialectName, Tx } from "../../platform/database/database.ts";
import type { BulkRetryRequestRow, Tables } from "../../schema/tables/index.ts";
import { ableAgents, findAgent } from "../commands/index.ts";
import { openStretches } from "./seal.ts";
import { deadlineReason } from "./states.ts";

/** Agents that may be given children of the engine now, the preferred one first. */
export type Takers = (tx: Tx<Tables>, row: BulkRetryRequestRow, engine: string) => Promise<readonly string[]>;

/** Agents with a session that may be given more of the request. */
export const ableTakers =
  (dialect: DialectName): Takers =>
  async (tx, row, engine) => {
    const gate = { action: "bulk_retry", engine, hasInputs: false } as const;
    const able = await ableAgents({ read: tx, dialect }, row.project_id, gate);
    return row.target_agent_id === null ? able : able.filter((id) => id === row.target_agent_id);
  };

const namedEngines = 5;

/** Why a request whose time is over has unsent tasks, as far as its agents tell. */
export async function whyUnsent(tx: Tx<Tables>, dialect: DialectName, row: BulkRetryRequestRow): Promise<string> {
  const reason = deadlineReason(row.pending_count);
  const { target_agent_id: agentId } = row;
  if (agentId !== null && (await findAgent(tx, row.project_id, agentId)) === null) {
    return `${reason}: its agent was revoked`;
  }
  const unserved: string[] = [];
  for (const { engine } of openStretches(row)) {
    if ((await ableTakers(dialect)(tx, row, engine)).length === 0) unserved.push(engine);
  }
  if (unserved.length === 0) return reason;
  const more = unserved.length > namedEngines ? ` and ${unserved.length - namedEngines} more` : "";
  const engines = `${unserved.slice(0, namedEngines).join(", ")}${more}`;
  return `${reason}: ${agentId === null ? "no agent can" : "its agent cannot"} retry ${engines}`;
}
