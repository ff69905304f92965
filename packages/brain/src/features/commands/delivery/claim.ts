import { randomToken } from "@svc/protocol";
import type { Log } from "../../../platform/log.ts";
import type { CommandRow, Core } from "../../../schema/tables/index.ts";
import { findAgent, fitnessOf, reachOf, type SessionReach } from "../../agents/index.ts";
import type { CommandMetrics } from "../metrics.ts";
import { childKeyPrefix, claimPending, type PendingCommand, pendingChildren, pendingForAgent } from "./claim-store.ts";
import { framePayload } from "./frame.ts";
import type { MoveHandlers } from "./move-handlers.ts";
import { dueForResend, type ResendRule, resendRule, socketResendRule, winResends } from "./resend-store.ts";

/** A command claimed for one delivery, as the frame's id and payload. */
export interface ClaimedCommand {
  readonly id: string;
  readonly payload: Record<string, unknown>;
}

export interface CommandDeps extends Core {
  readonly log: Log;
  readonly timeoutSeconds: number;
  readonly redispatch: { readonly windowSeconds: number; readonly minIntervalSeconds: number };
  readonly counted: CommandMetrics;
}

export interface ClaimRequest extends SessionReach {
  readonly agentId: string;
  readonly max: number;
  /** For polls: also takes children of bulk retries, and unacknowledged commands that may be repeated, at intervals. */
  readonly withResends?: boolean;
  /** For sockets: also takes unacknowledged commands that may be repeated and were last sent at or before this. */
  readonly resendSentBy?: Date;
}

export interface Claimed {
  readonly commands: readonly ClaimedCommand[];
  /** A limit was reached: there may be more for the same session. */
  readonly hasMore: boolean;
}

/** Creates commands only when an agent can take them: the children of bulk retries. */
export interface ChildSource {
  /** Creates and returns at most `max` commands for a poll of the agent that supports these contracts. */
  take(request: { agentId: string; engines: ReadonlySet<string>; max: number }): Promise<readonly CommandRow[]>;
  /** For which of these agents `take` would create commands now. */
  waitingFor(agentIds: readonly string[]): Promise<readonly WaitingChildren[]>;
}

/** Commands of bulk retries that could be created for an agent. */
export interface WaitingChildren {
  readonly agentId: string;
  readonly action: string;
  readonly engine: string;
  /** Key of the shared allowance. */
  readonly pool: string;
  /** How many could be created now, for all agents of the pool together. */
  readonly allowance: number;
}

export interface ClaimDeps extends CommandDeps {
  /** What other features do in the transaction of a move. */
  readonly moves: Pick<MoveHandlers, "run">;
  children(): ChildSource | null;
  /** Called with commands whose move has been committed. */
  changed(command: Pick<CommandRow, "id" | "project_id">): void;
}

/** Rows per page: commands that this session cannot take must not hide those after them. */
const pageRows = 500;
/** Approximate memory limit of one claim: a single command may be as large as a frame. */
const maxClaimedCharacters = 4_194_304;

/** A claim in progress. */
interface ClaimBatch {
  readonly request: ClaimRequest;
  readonly commands: ClaimedCommand[];
  characters: number;
  /** The sessions of the agent in all processes, once loaded. */
  sessions: Promise<readonly SessionReach[]> | null;
}

const isFull = ({ request, commands, characters }: ClaimBatch): boolean =>
  commands.length >= request.max || characters >= maxClaimedCharacters;

/**
 * Claims the commands that wait for an agent, in issued_at order, before they are sent. Of two concurrent sessions, one wins each command.
 * Consecutive children of bulk retries are claimed in one transaction, and so are consecutive fires of schedules, which may be repeated;
 * every other command is claimed in its own.
 */
export function createClaim({
  database,
  clock,
  log,
  timeoutSeconds,
  redispatch,
  counted,
  moves,
  changed,
  children,
}: ClaimDeps) {
  return async function claim(request: ClaimRequest): Promise<Claimed> {
    const batch: ClaimBatch = { request, commands: [], characters: 0, sessions: null };
    try {
      if (request.withResends === true) {
        await claimChildren(batch);
        await resend(batch, resendRule(clock.now(), redispatch));
      } else if (request.resendSentBy !== undefined) {
        await resend(batch, socketResendRule(clock.now(), request.resendSentBy));
      }
      await claimNew(batch);
    } catch (error) {
      // Claimed commands must reach the agent; the rest stays pending.
      if (batch.commands.length === 0) throw error;
      log.warn("commands.claim_cut_short", { agent_id: request.agentId, message: (error as Error).message });
      return { commands: batch.commands, hasMore: true };
    }
    return { commands: batch.commands, hasMore: isFull(batch) };
  };

  /** Polls take the children of bulk retries first: those already pending, then new ones. */
  async function claimChildren(batch: ClaimBatch): Promise<void> {
    const { agentId, max, retryContracts: engines } = batch.request;
    if (engines.size === 0 || max === 0) return;
    await claimInTurn(batch, await pendingChildren(database, { agentId, limit: max, now: clock.now() }));
    if (isFull(batch)) return;
    const more = (await children()?.take({ agentId, engines, max: max - batch.commands.length })) ?? [];
    await claimInTurn(batch, more);
  }

  async function claimNew(batch: ClaimBatch): Promise<void> {
    let after: PendingCommand | null = null;
    while (!isFull(batch)) {
      const page: PendingCommand[] = await pendingForAgent(database, {
        agentId: batch.request.agentId,
        after,
        limit: pageRows,
        now: clock.now(),
      });
      await claimInTurn(batch, page);
      after = page.at(-1) ?? null;
      if (page.length < pageRows) return;
    }
  }

  async function claimInTurn(batch: ClaimBatch, commands: readonly PendingCommand[]): Promise<void> {
    for (let at = 0; at < commands.length && !isFull(batch); ) {
      const allowance = batch.request.max - batch.commands.length;
      const some = claimedTogether(commands.slice(at, at + allowance));
      await claimAll(batch, some);
      at += some.length;
    }
  }

  async function claimAll(batch: ClaimBatch, commands: readonly PendingCommand[]): Promise<void> {
    const claims = (await fitting(batch, commands)).map((id) => ({ id, token: randomToken() }));
    if (claims.length === 0) return;
    const now = clock.now();
    const timeoutAt = new Date(now.getTime() + timeoutSeconds * 1000);
    const won = await database.write(async (tx) => {
      const claimed = await claimPending(tx, { claims, now, timeoutAt });
      await moves.run(tx, { move: "claim", commands: claimed, error: null, now });
      return claimed;
    });
    const rows = new Map(won.map((row) => [row.id, row]));
    for (const { id, token } of claims) {
      const row = rows.get(id);
      if (row === undefined) continue;
      add(batch, row, token);
      counted.moved(row, "dispatched");
      changed(row);
    }
  }

  /** Ids of those commands that this session may receive. */
  async function fitting(batch: ClaimBatch, commands: readonly PendingCommand[]): Promise<string[]> {
    const ids: string[] = [];
    for (const command of commands) {
      const fitness = fitnessOf(command, batch.request);
      const isGiven = fitness === "eligible" || (fitness === "fallback" && !(await isAnyEligible(batch, command)));
      if (isGiven) ids.push(command.id);
    }
    return ids;
  }

  /** Whether another session of the agent is fully eligible for the command. */
  async function isAnyEligible(batch: ClaimBatch, command: PendingCommand): Promise<boolean> {
    batch.sessions ??= findAgent(database.read, command.project_id, batch.request.agentId).then((agent) =>
      (agent?.sessions ?? []).map(reachOf),
    );
    return (await batch.sessions).some((reach) => fitnessOf(command, reach) === "eligible");
  }

  /** Sends unacknowledged commands again, unchanged, if they may be repeated. */
  async function resend(batch: ClaimBatch, rule: ResendRule): Promise<void> {
    const { agentId, max } = batch.request;
    for (let after: PendingCommand | null = null; !isFull(batch); ) {
      const limit = Math.min(max - batch.commands.length, maxTogether);
      const page: PendingCommand[] = await dueForResend(database.read, { agentId, rule, after, limit });
      const ids = await fitting(batch, page);
      const won = ids.length === 0 ? [] : await database.write((tx) => winResends(tx, { ids, rule }));
      const rows = new Map(won.map((row) => [row.id, row]));
      for (const id of ids) {
        const row = rows.get(id);
        if (row !== undefined && row.delivery_claim_token !== null) add(batch, row, row.delivery_claim_token);
      }
      if (page.length < limit) return;
      after = page.at(-1) ?? null;
    }
  }

  function add(batch: ClaimBatch, row: CommandRow, token: string): void {
    batch.characters += row.payload.length;
    batch.commands.push({ id: row.id, payload: framePayload(row, { timeoutSeconds, token }) });
  }
}

/** Maximum fires to claim, or commands to resend, together: the arguments of fires may be large. */
const maxTogether = 32;

/** The leading commands that one transaction may claim: consecutive children, consecutive fires of schedules, or one other command. */
function claimedTogether(commands: readonly PendingCommand[]): readonly PendingCommand[] {
  const fires = leading(commands.slice(0, maxTogether), ({ action }) => action === "schedule.fire");
  if (fires.length > 0) return fires;
  const children = leading(commands, ({ idempotency_key }) => idempotency_key?.startsWith(childKeyPrefix) === true);
  return children.length > 0 ? children : commands.slice(0, 1);
}

function leading<T>(items: readonly T[], belongs: (item: T) => boolean): readonly T[] {
  const other = items.findIndex((item) => !belongs(item));
  return other === -1 ? items : items.slice(0, other);
}
