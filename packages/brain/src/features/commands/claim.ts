import { parseJson, randomToken } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { CommandRow, Tables } from "../../schema/tables/index.ts";
import { engineOf, mayBeGiven } from "./contract.ts";
import type { CommandMetrics } from "./metrics.ts";
import { claimPending, pendingForAgent } from "./store.ts";

/** A command won for one delivery, as the frame's id and payload. */
export interface ClaimedCommand {
  readonly id: string;
  readonly payload: Record<string, unknown>;
}

export interface CommandDeps {
  readonly database: Database<Tables>;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutSeconds: number;
  readonly counted: CommandMetrics;
}

export interface ClaimRequest {
  readonly agentId: string;
  readonly max: number;
  /** Engines whose safe retry contract the receiving session honours. */
  readonly retryContracts: ReadonlySet<string>;
}

/** Rows looked at together: commands that this session may not be given must not hide those behind them. */
const pageRows = 500;

/**
 * Claims what waits for an agent, in issued_at order, each row in a transaction of its own before it is sent: of two sessions that ask at
 * once, one wins.
 */
export function createClaim({ database, clock, log, timeoutSeconds, counted }: CommandDeps) {
  return async function claim({ agentId, max, retryContracts }: ClaimRequest): Promise<ClaimedCommand[]> {
    const claimed: ClaimedCommand[] = [];
    try {
      let after: CommandRow | null = null;
      for (;;) {
        const page: CommandRow[] = await pendingForAgent(database, {
          agentId,
          after,
          limit: pageRows,
          now: clock.now(),
        });
        for (const row of page) {
          if (claimed.length >= max) return claimed;
          const won = await claimOne(row, retryContracts);
          if (won !== null) claimed.push(won);
        }
        after = page.at(-1) ?? null;
        if (page.length < pageRows) return claimed;
      }
    } catch (error) {
      // What is claimed must reach the agent; the rest stays pending.
      if (claimed.length === 0) throw error;
      log.warn("commands.claim_cut_short", { agent_id: agentId, message: (error as Error).message });
      return claimed;
    }
  };

  async function claimOne(row: CommandRow, retryContracts: ReadonlySet<string>): Promise<ClaimedCommand | null> {
    const parameters = parseJson(row.payload) as Record<string, unknown>;
    const engine = engineOf(parameters);
    if (!mayBeGiven({ action: row.action, engine }, retryContracts)) return null;
    const now = clock.now();
    const token = randomToken();
    const timeoutAt = new Date(now.getTime() + timeoutSeconds * 1000);
    const isWon = await database.write((tx) => claimPending(tx, { id: row.id, token, now, timeoutAt }));
    if (isWon) counted.moved(row, "dispatched");
    return isWon ? { id: row.id, payload: framePayload(row, parameters, engine, token, timeoutSeconds) } : null;
  }
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
