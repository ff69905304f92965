import { taskRowId } from "@svc/protocol";
import type { Tx } from "../../../platform/database/database.ts";
import type { BulkRetryRequestRow, CommandRow, Core, Tables } from "../../../schema/tables/index.ts";
import { type Audit, type AuditEntry, ownOrigin } from "../../audit/index.ts";
import { type Commands, holdAgents } from "../../commands/index.ts";
import { tasksByRowId } from "../../tasks/index.ts";
import type { EngineRange } from "../planning/seal.ts";
import { childCountsOf } from "../shapes.ts";
import { controlMachine, isClaimable, isFinished, outcomeOfEnd, statusOf, unendedReason } from "../states.ts";
import { holdRequest, updateRequest } from "../store.ts";
import { type CanaryProgress, isHeldByCanary, judgeCanary, readCanary } from "./canary.ts";
import { childOutcomeOf } from "./child-outcome.ts";
import { childrenInFlight, claimChildren, nextChildren, settleChildren, type WaitingChild } from "./children-store.ts";
import { type EligibleAgents, unsentReason } from "./eligible-agents.ts";
import { allowanceOf, paceOf } from "./limits.ts";

export interface RoundDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly commands: Pick<Commands, "issueIn">;
  /** Time limit of a command, in seconds. */
  readonly timeoutSeconds: number;
}

export interface RoundRequest {
  readonly parentId: string;
  readonly eligible: EligibleAgents;
  /** Maximum children to claim, in addition to the request's own limits. */
  readonly limit?: number;
}

export interface RoundResult {
  /** The issued commands. */
  readonly issued: readonly CommandRow[];
  /** When the request's rate allows more; null when something else decides. */
  readonly nextAt: Date | null;
  /** Its limits allow more: unsent children wait for an agent. */
  readonly hasAllowance: boolean;
  /** The search for its tasks is still running. */
  readonly isSealing: boolean;
}

type IssuedChildren = Pick<Awaited<ReturnType<Commands["issueIn"]>>, "commands" | "entries">;

const nothingIssued: IssuedChildren = { commands: [], entries: [] };
const nothing: RoundResult = { issued: [], nextAt: null, hasAllowance: false, isSealing: false };

/**
 * Runs one round of a request under the lock on its row: records the outcomes of sent children, checks the canary and the deadline, and creates
 * commands for the next children, each with the key `bulk:<child id>`. Everything commits before anything is sent, so a crash leaves nothing
 * half done and nothing that another process would send twice.
 */
export function runRound(deps: RoundDeps, request: RoundRequest): Promise<RoundResult> {
  const { database, clock } = deps;
  return database.write(
    async (tx) => {
      const row = await holdRequest(tx, request.parentId);
      if (row === undefined || row.finished_at !== null) return nothing;
      if (row.control_state === "sealing") return { ...nothing, isSealing: true };
      const now = clock.now();
      const before = { ...row };
      await settle(tx, row, now);
      const canary = await readCanary(tx, row);
      if (canary !== null) judgeCanary(row, canary);
      const { commands: issued, entries } = isClaimable(row, now)
        ? await claim(tx, deps, { row, request, now })
        : nothingIssued;
      if (issued.length > 0) row.last_progress_at = now;
      if (isFinished(row)) row.finished_at = now;
      else await blockLate(tx, row, { canary, now });
      const changes = changesOf(before, row);
      if (Object.keys(changes).length > 0) await updateRequest(tx, row.id, changes);
      await deps.audit.append(tx, [...entries, ...closingEntries(row, { before, now })]);
      const isOpen = isClaimable(row, now);
      const isPaced = isOpen && row.next_claim_at !== null && row.next_claim_at > now;
      const nextAt = isPaced ? row.next_claim_at : null;
      return { issued, nextAt, hasAllowance: isOpen && allowanceOf(row, now) > 0, isSealing: false };
    },
    // Locks of several requests in one shared transaction could deadlock.
    { alone: true },
  );
}

async function settle(tx: Tx<Tables>, row: BulkRetryRequestRow, now: Date): Promise<void> {
  if (row.claimed_count === 0) return;
  const children = await childrenInFlight(tx, row.id);
  const found = children.flatMap((child) => {
    const outcome = childOutcomeOf(child, now);
    return outcome === null ? [] : [{ id: child.id, ...outcome }];
  });
  // Most outcomes are equal (success), so they are grouped into few statements.
  for (const same of Map.groupBy(found, ({ id: _id, ...outcome }) => JSON.stringify(outcome)).values()) {
    const { end, error, newTaskId } = same[0] as (typeof found)[number];
    const ids = same.map(({ id }) => id);
    await settleChildren(tx, ids, end, { error, completed_at: now, new_task_id: newTaskId });
    row.claimed_count -= ids.length;
    row[`${outcomeOfEnd(end)}_count`] += ids.length;
    row.last_progress_at = now;
  }
}

async function claim(
  tx: Tx<Tables>,
  deps: RoundDeps,
  { row, request, now }: { row: BulkRetryRequestRow; request: RoundRequest; now: Date },
): Promise<IssuedChildren> {
  const pace = row.rate_per_minute === null ? null : paceOf(row.rate_per_minute, row.next_claim_at, now);
  const ranges = JSON.parse(row.ranges) as EngineRange[];
  const claimed: AssignedChild[] = [];
  let free = Math.min(request.limit ?? Infinity, allowanceOf(row, now));
  for (const [index, range] of ranges.entries()) {
    if (free <= 0) break;
    if (range.next >= range.end) continue;
    const waiting = await nextChildren(tx, row.id, range, free);
    const reporters = [...new Set(waiting.map(({ reported_by }) => reported_by))];
    const agents = await request.eligible(tx, row, { engine: range.engine, reporters });
    if (agents.length === 0) continue;
    const children = await withPresent(tx, waiting, agents);
    const last = children.at(-1);
    if (last === undefined) continue;
    claimed.push(...children);
    free -= children.length;
    ranges[index] = { ...range, next: last.ordinal + 1 };
  }
  if (claimed.length === 0) return nothingIssued;
  const issued = await issueChildren(tx, deps, { row, children: claimed, now });
  row.ranges = JSON.stringify(ranges);
  row.pending_count -= claimed.length;
  row.claimed_count += claimed.length;
  if (pace !== null) row.next_claim_at = pace.nextAfter(claimed.length);
  return issued;
}

type AssignedChild = WaitingChild & { readonly agentId: string; readonly generation: number | null };

/** The children with their agents, up to the first whose agent has been revoked. The agents are locked until the transaction ends. */
async function withPresent(
  tx: Tx<Tables>,
  children: readonly WaitingChild[],
  agents: readonly string[],
): Promise<AssignedChild[]> {
  // The reporter of a task can reach its server.
  const agentOf = ({ reported_by: reporter }: WaitingChild) =>
    agents.includes(reporter) ? reporter : (agents[0] as string);
  if (children.length === 0) return [];
  const held = await holdAgents(tx, [...new Set(children.map(agentOf))]);
  const assigned: AssignedChild[] = [];
  for (const child of children) {
    const agent = held.get(agentOf(child));
    if (agent === undefined) break;
    assigned.push({ ...child, agentId: agent.id, generation: agent.last_connect_at?.getTime() ?? null });
  }
  return assigned;
}

/** When the canary tasks had ended before the retry, by row id. */
async function endsOf(
  tx: Tx<Tables>,
  row: BulkRetryRequestRow,
  children: readonly WaitingChild[],
): Promise<ReadonlyMap<string, Date | null> | null> {
  if (row.canary_size === null) return null;
  const ids = children.map(({ engine, task_id }) => taskRowId(row.project_id, engine, task_id));
  const tasks = await tasksByRowId(tx, row.project_id, ids);
  return new Map(tasks.map(({ id, finished_at }) => [id, finished_at]));
}

async function issueChildren(
  tx: Tx<Tables>,
  { commands, timeoutSeconds }: RoundDeps,
  { row, children, now }: { row: BulkRetryRequestRow; children: readonly AssignedChild[]; now: Date },
): Promise<IssuedChildren> {
  const before = await endsOf(tx, row, children);
  const issued = await commands.issueIn(
    tx,
    children.map((child) => ({
      projectId: row.project_id,
      agentId: child.agentId,
      action: "bulk_retry" as const,
      target: { type: "task", id: child.task_id },
      parameters: JSON.parse(child.payload) as Record<string, unknown>,
      issuedBy: row.issued_by,
      sourceIp: row.source_ip,
      idempotencyKey: `bulk:${child.id}`,
      facts: { bulk_retry_request_id: row.id },
    })),
    new Set(children.map(({ agentId }) => agentId)),
  );
  if (issued.commands.length !== children.length) throw new Error(`children of ${row.id} have commands already`);
  const claims = children.map(({ id, engine, task_id, agentId, generation }, index) => ({
    id,
    command_id: issued.commands[index]?.id ?? null,
    claimed_agent_id: agentId,
    claimed_generation: generation,
    ended_before_at: before?.get(taskRowId(row.project_id, engine, task_id)) ?? null,
  }));
  const claimed = await claimChildren(tx, claims, {
    claimed_at: now,
    claim_deadline_at: new Date(now.getTime() + timeoutSeconds * 1000),
    task_outcome: before === null ? null : "awaited",
  });
  if (claimed !== children.length) throw new Error(`children of ${row.id} were claimed under the lock of another`);
  return issued;
}

/** Blocks a request whose deadline has passed. */
async function blockLate(
  tx: Tx<Tables>,
  row: BulkRetryRequestRow,
  { canary, now }: { canary: CanaryProgress | null; now: Date },
): Promise<void> {
  const blocked = controlMachine.next(row.control_state, "deadline");
  if (blocked === null || row.pending_count === 0 || row.deadline_at > now) return;
  row.control_state = blocked;
  row.blocked_reason =
    canary !== null && row.canary_size !== null && isHeldByCanary(row)
      ? unendedReason(canary.unended, row.canary_size)
      : await unsentReason(tx, row);
}

/** The audit row of a request that this round finished or blocked. */
function closingEntries(
  row: BulkRetryRequestRow,
  { before, now }: { before: BulkRetryRequestRow; now: Date },
): AuditEntry[] {
  const isBlocked = row.control_state === "blocked" && before.control_state !== "blocked";
  if (row.finished_at === null && !isBlocked) return [];
  return [
    {
      ...ownOrigin,
      action: row.finished_at === null ? "bulk_retry_request.blocked" : "bulk_retry_request.finished",
      target_type: "bulk_retry_request",
      target_id: row.id,
      project_id: row.project_id,
      metadata: {
        status: statusOf(row, now),
        counts: childCountsOf(row),
        ...(isBlocked && { reason: row.blocked_reason }),
      },
    },
  ];
}

function changesOf(before: BulkRetryRequestRow, after: BulkRetryRequestRow): Partial<BulkRetryRequestRow> {
  const names = Object.keys(after) as (keyof BulkRetryRequestRow)[];
  return Object.fromEntries(names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));
}
