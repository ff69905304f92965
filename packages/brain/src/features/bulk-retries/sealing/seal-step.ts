import type { Tx } from "../../../platform/database/database.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { BulkRetryRequestRow, Core, Tables } from "../../../schema/tables/index.ts";
import { type Audit, type AuditEntry, ownOrigin } from "../../audit/index.ts";
import { readSelected, selectStep, type TaskPosition } from "../../tasks/index.ts";
import { type EffectiveRequest, readStoredRequest } from "../planning/effective-request.ts";
import { effectiveText } from "../planning/plan-reads.ts";
import { sealPlan } from "../planning/seal.ts";
import { controlMachine } from "../states.ts";
import { findRequestById, holdRequest, insertChildren, updateRequest } from "../store.ts";
import { deleteMatches, insertMatches, matchesOf } from "./sealing-store.ts";

export interface SealingDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  /** Size limit of a frame to an agent, in bytes. */
  readonly maxFrameBytes: number;
  readonly parentTimeoutSeconds: number;
}

/** Limits of one search step. Progress is stored after each step, so another process can continue after a crash. */
const stepMs = 300;
const stepTasks = 200;

/**
 * Runs one search step of a request that is sealing. The last step seals the request, or refuses it when more than `max` tasks match.
 *
 * @returns whether this process should run the next step: false when the request has left this state or another process was faster.
 */
export async function sealStep(deps: SealingDeps, requestId: string): Promise<boolean> {
  const { database, clock } = deps;
  const seen = await findRequestById(database.read, requestId);
  const text = seen?.control_state === "sealing" ? await effectiveText(database.read, requestId) : null;
  if (seen === undefined || text === null) return false;
  const effective = readStoredRequest(seen.idempotency_key, text);
  const { ids, next } = await selectStep(database, seen.project_id, effective.selection, {
    now: seen.created_at,
    after: positionOf(seen),
    // One match above `max` is enough to refuse the request.
    limit: Math.min(stepTasks, effective.max + 1 - seen.found_count),
    budgetMs: stepMs,
  });
  return database.write(
    async (tx) => {
      const row = await holdRequest(tx, requestId);
      if (row?.control_state !== "sealing" || !isSamePlace(row, seen)) return false;
      const now = clock.now();
      row.found_count += await insertMatches(tx, row.id, ids);
      row.last_progress_at = now;
      const { found_count, last_progress_at } = row;
      if (found_count > effective.max) {
        await refuse(deps, tx, { row, now, reason: `more than ${effective.max} tasks match` });
      } else if (next === null) {
        await finish(deps, tx, { row, now, effective });
      } else {
        const reached = { reached_at: next.receivedAt, reached_id: next.id };
        await updateRequest(tx, row.id, { found_count, last_progress_at, ...reached });
      }
      return true;
    },
    // It locks the request, as a round does.
    { alone: true },
  );
}

const positionOf = ({ reached_at, reached_id }: BulkRetryRequestRow): TaskPosition | null =>
  reached_at === null || reached_id === null ? null : { receivedAt: reached_at, id: reached_id };

const isSamePlace = (a: BulkRetryRequestRow, b: BulkRetryRequestRow): boolean =>
  a.reached_id === b.reached_id && a.reached_at?.getTime() === b.reached_at?.getTime();

interface Held {
  readonly row: BulkRetryRequestRow;
  readonly now: Date;
}

async function finish(
  deps: SealingDeps,
  tx: Tx<Tables>,
  { row, now, effective }: Held & { effective: EffectiveRequest },
): Promise<void> {
  const ids = await matchesOf(tx, row.id);
  // Tasks that left the requested state after they were found are skipped.
  const tasks = await readSelected(tx, { projectId: row.project_id, ids, selection: effective.selection });
  const asked = { projectId: row.project_id, parentId: row.id, effective, tasks };
  const plan = await sealPlan(deps, asked).catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
  if (plan === null) return refuse(deps, tx, { row, now, reason: "a task is too large for a frame to the agent" });
  const count = plan.children.length;
  await insertChildren(tx, plan.children);
  await deleteMatches(tx, [row.id]);
  await updateRequest(tx, row.id, {
    control_state: controlMachine.to("sealed"),
    plan_digest: plan.planDigest,
    child_count: count,
    pending_count: count,
    ranges: JSON.stringify(plan.ranges),
    found_count: row.found_count,
    sealed_at: now,
    deadline_at: new Date(now.getTime() + deps.parentTimeoutSeconds * 1000),
    last_progress_at: null,
    finished_at: count === 0 ? now : null,
  });
  await deps.audit.append(tx, entryOf(row, "sealed", { plan_digest: plan.planDigest, tasks: count }));
}

async function refuse(
  { audit }: SealingDeps,
  tx: Tx<Tables>,
  { row, now, reason }: Held & { reason: string },
): Promise<void> {
  await deleteMatches(tx, [row.id]);
  await updateRequest(tx, row.id, {
    control_state: controlMachine.to("refuse"),
    blocked_reason: reason,
    found_count: row.found_count,
    last_progress_at: now,
    finished_at: now,
  });
  await audit.append(tx, entryOf(row, "refused", { reason, found: row.found_count }));
}

const entryOf = (row: BulkRetryRequestRow, what: string, metadata: Record<string, unknown>): AuditEntry => ({
  ...ownOrigin,
  action: `bulk_retry_request.${what}`,
  target_type: "bulk_retry_request",
  target_id: row.id,
  project_id: row.project_id,
  metadata,
});
