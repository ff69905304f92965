import { taskRowId } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Tx } from "../../platform/database/database.ts";
import type { BulkRetryRequestRow, CommandRow, Tables } from "../../schema/tables/index.ts";
import { type Audit, ownOrigin } from "../audit/index.ts";
import { type Commands, holdAgent } from "../commands/index.ts";
import { tasksByRowId } from "../tasks/index.ts";
import { judgeCanary } from "./canary.ts";
import { childrenInFlight, claimChild, nextChildren, settleChild, type WaitingChild } from "./children-store.ts";
import { outcomeOf } from "./outcome.ts";
import { paceOf } from "./pace.ts";
import type { Stretch } from "./seal.ts";
import { countsOf } from "./shapes.ts";
import { deadlineReason, isClaimable, isFinished, statusOf } from "./states.ts";
import { holdRequest, updateRequest } from "./store.ts";

export interface RoundDeps {
  readonly database: Database<Tables>;
  readonly clock: Pick<Clock, "now">;
  readonly audit: Pick<Audit, "append">;
  readonly commands: Pick<Commands, "issue">;
  /** Seconds that a command has for its result. */
  readonly timeoutSeconds: number;
}

/** Agents that may be given children now, by engine, the preferred one first. */
export type Takers = ReadonlyMap<string, readonly string[]>;

export interface RoundRequest {
  readonly parentId: string;
  readonly takers: Takers;
  /** Children that are claimed at most, beside the request's own limits. */
  readonly limit?: number;
  /** Passes over a request that another process is at. */
  readonly skipsHeld?: boolean;
}

/**
 * One round over a request, under the lock on its row: notes what became of the children that were sent, judges the canary and the deadline,
 * and makes commands for the next children, each with the key `bulk:<child id>`. Everything commits together before anything is sent, so a
 * process that dies leaves nothing half done and nothing that another one would send again.
 *
 * @returns the commands that were made.
 */
export function runRound(deps: RoundDeps, request: RoundRequest): Promise<CommandRow[]> {
  const { database, clock } = deps;
  return database.write(
    async (tx) => {
      const row = await holdRequest(tx, database.dialect, request.parentId, request);
      if (row === undefined || row.finished_at !== null) return [];
      const now = clock.now();
      const before = { ...row };
      await settle(tx, row, now);
      Object.assign(row, await judgeCanary(tx, database.dialect, row, row.child_count - row.pending_count));
      const issued = isClaimable(row, now) ? await claim(tx, deps, { row, request, now }) : [];
      if (issued.length > 0) row.last_progress_at = now;
      await close(tx, deps.audit, row, { before, now });
      const changes = changesOf(before, row);
      if (Object.keys(changes).length > 0) await updateRequest(tx, row.id, changes);
      return issued;
    },
    // Locks of several requests in one shared transaction could wait for another's in a ring.
    { alone: database.dialect === "postgres" },
  );
}

async function settle(tx: Tx<Tables>, row: BulkRetryRequestRow, now: Date): Promise<void> {
  if (row.claimed_count === 0) return;
  for (const child of await childrenInFlight(tx, row.id)) {
    const found = outcomeOf(child, now);
    if (found === null) continue;
    const { outcome, error, newTaskId } = found;
    await settleChild(tx, child.id, { outcome, error, completed_at: now, new_task_id: newTaskId });
    row.claimed_count -= 1;
    row[`${outcome}_count`] += 1;
    row.last_progress_at = now;
  }
}

async function claim(
  tx: Tx<Tables>,
  deps: RoundDeps,
  { row, request, now }: { row: BulkRetryRequestRow; request: RoundRequest; now: Date },
): Promise<CommandRow[]> {
  const pace = row.rate_per_minute === null ? null : paceOf(row.rate_per_minute, row.next_claim_at, now);
  const stretches = JSON.parse(row.stretches) as Stretch[];
  const issued: CommandRow[] = [];
  let free = Math.min(
    request.limit ?? Infinity,
    row.max_in_flight - row.claimed_count,
    row.canary_size === null ? Infinity : row.canary_size - (row.child_count - row.pending_count),
    pace?.allowed ?? Infinity,
  );
  for (const [index, stretch] of stretches.entries()) {
    const agents = request.takers.get(stretch.engine) ?? [];
    if (free <= 0) break;
    if (agents.length === 0 || stretch.next >= stretch.end) continue;
    const children = await nextChildren(tx, row.id, stretch, free);
    const before = await endsOf(tx, deps.database.dialect, row, children);
    for (const child of children) {
      const command = await claimOne(tx, deps, { row, child, agents, before, now });
      if (command === null) return finishClaim();
      issued.push(command);
      free -= 1;
      stretches[index] = { ...stretch, next: child.ordinal + 1 };
    }
  }
  return finishClaim();

  function finishClaim(): CommandRow[] {
    row.stretches = JSON.stringify(stretches);
    row.pending_count -= issued.length;
    row.claimed_count += issued.length;
    if (pace !== null && issued.length > 0) row.next_claim_at = pace.nextAfter(issued.length);
    return issued;
  }
}

/** When the tasks of a canary had ended before, by row id. */
async function endsOf(
  tx: Tx<Tables>,
  dialect: Database<Tables>["dialect"],
  row: BulkRetryRequestRow,
  children: readonly WaitingChild[],
): Promise<ReadonlyMap<string, Date | null> | null> {
  if (row.canary_size === null) return null;
  const ids = children.map(({ engine, task_id }) => taskRowId(row.project_id, engine, task_id));
  const tasks = await tasksByRowId(tx, dialect, row.project_id, ids);
  return new Map(tasks.map(({ id, finished_at }) => [id, finished_at]));
}

async function claimOne(
  tx: Tx<Tables>,
  { database, commands, timeoutSeconds }: RoundDeps,
  {
    row,
    child,
    agents,
    before,
    now,
  }: {
    row: BulkRetryRequestRow;
    child: WaitingChild;
    agents: readonly string[];
    before: ReadonlyMap<string, Date | null> | null;
    now: Date;
  },
): Promise<CommandRow | null> {
  // Who reported the task surely reaches it.
  const agentId = agents.includes(child.reported_by) ? child.reported_by : agents[0];
  if (agentId === undefined || !(await holdAgent(tx, database.dialect, agentId))) return null;
  const command = await commands.issue(tx, {
    projectId: row.project_id,
    agentId,
    action: "bulk_retry",
    target: { type: "task", id: child.task_id },
    parameters: JSON.parse(child.payload) as Record<string, unknown>,
    issuedBy: row.issued_by,
    sourceIp: row.source_ip,
    idempotencyKey: `bulk:${child.id}`,
  });
  if (command === null) throw new Error(`child ${child.id} has a command already`);
  const isClaimed = await claimChild(tx, child.id, {
    command_id: command.id,
    claimed_agent_id: agentId,
    claimed_at: now,
    claim_deadline_at: new Date(now.getTime() + timeoutSeconds * 1000),
    task_outcome: before === null ? null : "awaited",
    ended_before_at: before?.get(taskRowId(row.project_id, child.engine, child.task_id)) ?? null,
  });
  if (!isClaimed) throw new Error(`child ${child.id} was claimed under the lock of another`);
  return command;
}

/** Ends a request that has nothing left, and blocks one whose time is over; either leaves an audit row. */
async function close(
  tx: Tx<Tables>,
  audit: Pick<Audit, "append">,
  row: BulkRetryRequestRow,
  { before, now }: { before: BulkRetryRequestRow; now: Date },
): Promise<void> {
  if (isFinished(row)) row.finished_at = now;
  else if (row.control_state === "running" && row.pending_count > 0 && row.deadline_at <= now) {
    row.control_state = "blocked";
    row.blocked_reason = deadlineReason(row.pending_count);
  }
  const isBlocked = row.control_state === "blocked" && before.control_state !== "blocked";
  if (row.finished_at === null && !isBlocked) return;
  await audit.append(tx, {
    ...ownOrigin,
    action: row.finished_at === null ? "bulk_retry_request.blocked" : "bulk_retry_request.finished",
    target_type: "bulk_retry_request",
    target_id: row.id,
    project_id: row.project_id,
    metadata: {
      status: statusOf(row, now),
      counts: countsOf(row),
      ...(isBlocked && { reason: row.blocked_reason }),
    },
  });
}

function changesOf(before: BulkRetryRequestRow, after: BulkRetryRequestRow): Partial<BulkRetryRequestRow> {
  const names = Object.keys(after) as (keyof BulkRetryRequestRow)[];
  return Object.fromEntries(names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));
}
