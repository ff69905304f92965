import { parseJson, randomToken } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { CommandRow, Tables } from "../../schema/tables/index.ts";
import { engineOf, mayBeGiven, type SessionReach } from "./contract.ts";
import type { CommandMetrics } from "./metrics.ts";
import { findCommand } from "./reads.ts";
import { dueForResend, type ResendRule, resendRule, winResend } from "./resend-store.ts";
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
  readonly redispatch: { readonly windowSeconds: number; readonly minIntervalSeconds: number };
  readonly counted: CommandMetrics;
}

export interface ClaimRequest extends SessionReach {
  readonly agentId: string;
  readonly max: number;
  /** Whether unacknowledged commands that may be repeated are given again, as polls are. */
  readonly withResends?: boolean;
}

/** What makes commands only when somebody can be given them: the children of bulk retries. */
export interface ChildSource {
  /** Makes commands for a poll of the agent that honours these contracts, and gives their ids; at most `max`. */
  take(request: { agentId: string; engines: ReadonlySet<string>; max: number }): Promise<readonly string[]>;
  /** For which of these agents `take` would make commands now, and of which engines. */
  waitingFor(agentIds: readonly string[]): Promise<readonly { agentId: string; action: string; engine: string }[]>;
}

export interface ClaimDeps extends CommandDeps {
  children(): ChildSource | null;
  /** Told of commands whose move has been committed. */
  changed(command: Pick<CommandRow, "id" | "project_id">): void;
}

/** Rows looked at together: commands that this session may not be given must not hide those behind them. */
const pageRows = 500;

/**
 * Claims what waits for an agent, in issued_at order, each row in a transaction of its own before it is sent: of two sessions that ask at
 * once, one wins.
 */
export function createClaim({
  database,
  clock,
  log,
  timeoutSeconds,
  redispatch,
  counted,
  changed,
  children,
}: ClaimDeps) {
  return async function claim(request: ClaimRequest): Promise<ClaimedCommand[]> {
    const claimed: ClaimedCommand[] = [];
    try {
      if (request.withResends === true) {
        await claimChildren(request, claimed);
        await resend(request, claimed);
      }
      await claimNew(request, claimed);
    } catch (error) {
      // What is claimed must reach the agent; the rest stays pending.
      if (claimed.length === 0) throw error;
      log.warn("commands.claim_cut_short", { agent_id: request.agentId, message: (error as Error).message });
    }
    return claimed;
  };

  /** Polls take the children of bulk retries before anything else. */
  async function claimChildren({ agentId, max, ...reach }: ClaimRequest, claimed: ClaimedCommand[]): Promise<void> {
    const { retryContracts: engines } = reach;
    if (engines.size === 0 || max === 0) return;
    for (const id of (await children()?.take({ agentId, engines, max })) ?? []) {
      const row = await findCommand(database.read, id);
      const won = row === undefined ? null : await claimOne(row, reach);
      if (won !== null) claimed.push(won);
    }
  }

  async function claimNew({ agentId, max, ...reach }: ClaimRequest, claimed: ClaimedCommand[]): Promise<void> {
    let after: CommandRow | null = null;
    for (;;) {
      const page: CommandRow[] = await pendingForAgent(database, {
        agentId,
        after,
        limit: pageRows,
        now: clock.now(),
      });
      for (const row of page) {
        if (claimed.length >= max) return;
        const won = await claimOne(row, reach);
        if (won !== null) claimed.push(won);
      }
      after = page.at(-1) ?? null;
      if (page.length < pageRows) return;
    }
  }

  async function claimOne(row: CommandRow, reach: SessionReach): Promise<ClaimedCommand | null> {
    const parameters = parseJson(row.payload) as Record<string, unknown>;
    const engine = engineOf(parameters);
    if (!mayBeGiven({ action: row.action, engine }, reach)) return null;
    const now = clock.now();
    const token = randomToken();
    const timeoutAt = new Date(now.getTime() + timeoutSeconds * 1000);
    const isWon = await database.write((tx) => claimPending(tx, { id: row.id, token, now, timeoutAt }));
    if (!isWon) return null;
    counted.moved(row, "dispatched");
    changed(row);
    return { id: row.id, payload: framePayload(row, parameters, engine, token) };
  }

  /** Gives the agent again, word for word, what it has not acknowledged and may do twice. */
  async function resend({ agentId, max }: ClaimRequest, claimed: ClaimedCommand[]): Promise<void> {
    const room = max - claimed.length;
    if (room <= 0) return;
    const rule: ResendRule = resendRule(clock.now(), redispatch);
    for (const row of await dueForResend(database.read, { agentId, rule, limit: room })) {
      const token = row.delivery_claim_token;
      if (token === null) continue;
      if (!(await database.write((tx) => winResend(tx, { id: row.id, token, rule })))) continue;
      const parameters = parseJson(row.payload) as Record<string, unknown>;
      claimed.push({ id: row.id, payload: framePayload(row, parameters, engineOf(parameters), token) });
    }
  }

  function framePayload(
    row: CommandRow,
    parameters: Record<string, unknown>,
    engine: string | null,
    token: string,
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
}
