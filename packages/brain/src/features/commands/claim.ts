import { parseJson, randomToken } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { CommandRow, Tables } from "../../schema/tables/index.ts";
import { claimPending, pendingForAgent } from "./store.ts";

/** A command won for one delivery, as the frame's id and payload. */
export interface ClaimedCommand {
  readonly id: string;
  readonly payload: Record<string, unknown>;
}

export interface ClaimRequest {
  readonly agentId: string;
  readonly max: number;
  /** Whether the receiving session honours the safe retry contract of an engine (spec part 3, 4.2 rule 3). */
  hasRetryContract(engine: string): boolean;
}

const needsContract = new Set(["retry_task", "bulk_retry"]);

/**
 * Claims what waits for an agent, in issued_at order, each row in a transaction of its own before it is sent: of two sessions that ask at
 * once, one wins.
 */
export function createClaim(deps: { database: Database<Tables>; clock: Clock; timeoutSeconds: number }) {
  const { database, clock, timeoutSeconds } = deps;
  return async function claim({ agentId, max, hasRetryContract }: ClaimRequest): Promise<ClaimedCommand[]> {
    const claimed: ClaimedCommand[] = [];
    for (const row of await pendingForAgent(database, agentId, max)) {
      const parameters = parseJson(row.payload) as Record<string, unknown>;
      const engine = engineOf(parameters);
      if (needsContract.has(row.action) && (engine === null || !hasRetryContract(engine))) continue;
      const now = clock.now();
      const token = randomToken();
      const timeoutAt = new Date(now.getTime() + timeoutSeconds * 1000);
      const isWon = await database.write((tx) => claimPending(tx, { id: row.id, token, now, timeoutAt }));
      if (isWon) claimed.push({ id: row.id, payload: framePayload(row, parameters, engine, token, timeoutSeconds) });
    }
    return claimed;
  };
}

function engineOf(parameters: Record<string, unknown>): string | null {
  const filter = parameters.filter as { engine?: unknown } | undefined;
  const engine = parameters.engine ?? filter?.engine;
  return typeof engine === "string" ? engine : null;
}

function framePayload(
  row: CommandRow,
  parameters: Record<string, unknown>,
  engine: string | null,
  token: string,
  timeoutSeconds: number,
): Record<string, unknown> {
  return {
    action: row.action,
    target: { type: row.target_type, id: row.target_id ?? "", ...(engine !== null && { engine }) },
    parameters,
    timeout_seconds: Math.min(timeoutSeconds, 3600),
    issued_by: row.issued_by,
    delivery_claim_token: token,
  };
}
