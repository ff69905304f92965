import { ApiError, invalid } from "../../../platform/http/error-codes.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { BulkRetryRequestRow } from "../../../schema/tables/index.ts";
import { findAgent } from "../../agents/index.ts";
import type { AuditOrigin } from "../../audit/index.ts";
import { whyNotAdvertised } from "../../commands/index.ts";
import { findSelected, readSelected } from "../../tasks/index.ts";
import type { BulkRetryBody } from "../schemas.ts";
import type { SealingDeps } from "../sealing/seal-step.ts";
import { findRequestByKey, insertChildren, insertRequest } from "../store.ts";
import { badRequest, type EffectiveRequest, readEffectiveRequest } from "./effective-request.ts";
import { sealPlan } from "./seal.ts";

export interface CreateRequestsDeps extends SealingDeps {
  readonly maxInFlight: number;
}

export interface Requester {
  readonly projectId: string;
  readonly userId: string;
  readonly origin: AuditOrigin;
}

/**
 * Seals a request and its children in one transaction. A request with a query is sealed later, step by step. The same key with the same
 * body returns the existing request.
 *
 * @throws ApiError `conflict` when another body used the key or the engine retries only with overrides, `not_found` for an unknown agent,
 * `validation_error` with 400 for an engine that no agent advertises and with 422 for more matches than max.
 */
export function createRequests(deps: CreateRequestsDeps) {
  const { database, clock, audit, maxFrameBytes } = deps;

  return async function create(
    body: BulkRetryBody,
    { projectId, userId, origin }: Requester,
  ): Promise<BulkRetryRequestRow> {
    const effective = readEffectiveRequest(body);
    const { max, canary } = effective;
    const earlier = await findEarlier();
    if (earlier !== null) return earlier;
    await requireAdvertised(effective, projectId);
    const { selection } = effective;
    const isSearch = selection.q !== null;
    const { ids, matched } = isSearch
      ? { ids: [], matched: 0 }
      : await findSelected(database, projectId, selection, max);
    if (matched > max) throw tooMany(matched, max);

    const made = await database.write(async (tx) => {
      const tasks = await readSelected(tx, { projectId, ids, selection });
      const id = uuidV7(clock);
      const plan = await sealPlan({ clock, maxFrameBytes }, { projectId, parentId: id, effective, tasks });
      const now = clock.now();
      const count = plan.children.length;
      const row: BulkRetryRequestRow = {
        id,
        project_id: projectId,
        issued_by: userId,
        source_ip: origin.source_ip,
        idempotency_key: effective.idempotencyKey,
        canonical_digest: effective.canonicalDigest,
        plan_digest: isSearch ? null : plan.planDigest,
        target_agent_id: effective.agentId,
        control_state: isSearch ? "sealing" : "running",
        blocked_reason: null,
        child_count: count,
        pending_count: count,
        claimed_count: 0,
        succeeded_count: 0,
        failed_count: 0,
        unknown_count: 0,
        max_in_flight: deps.maxInFlight,
        ranges: JSON.stringify(plan.ranges),
        canary_size: canary?.size ?? null,
        canary_max_failures: canary?.maxFailures ?? 0,
        canary_failures: 0,
        rate_per_minute: effective.ratePerMinute,
        next_claim_at: null,
        created_at: now,
        sealed_at: isSearch ? null : now,
        deadline_at: new Date(now.getTime() + deps.parentTimeoutSeconds * 1000),
        last_progress_at: null,
        finished_at: count === 0 && !isSearch ? now : null,
        found_count: 0,
        reached_at: null,
        reached_id: null,
      };
      if (!(await insertRequest(tx, row, effective.text))) return null;
      await insertChildren(tx, plan.children);
      await audit.append(tx, {
        ...origin,
        action: "bulk_retry_request.created",
        target_type: "bulk_retry_request",
        target_id: id,
        project_id: projectId,
        metadata: {
          canonical_digest: row.canonical_digest,
          ...(!isSearch && { plan_digest: row.plan_digest, tasks: count }),
          target_agent_id: row.target_agent_id,
          ...(canary !== null && { canary_size: canary.size, canary_max_failures: canary.maxFailures }),
          ...(row.rate_per_minute !== null && { rate_per_minute: row.rate_per_minute }),
        },
      });
      return row;
    });
    if (made !== null) return made;
    // A concurrent request won; return what it created.
    const winner = await findEarlier();
    if (winner === null) throw new Error("the bulk retry with this idempotency key no longer exists");
    return winner;

    async function findEarlier(): Promise<BulkRetryRequestRow | null> {
      const found = await findRequestByKey(database.read, projectId, effective.idempotencyKey);
      if (found === undefined) return null;
      if (found.canonical_digest === effective.canonicalDigest) return found;
      throw new ApiError("conflict", { reason: "idempotency_key_in_use", request_id: found.id });
    }
  };

  async function requireAdvertised({ agentId, selection }: EffectiveRequest, projectId: string): Promise<void> {
    const { engine } = selection;
    if (agentId !== null && (await findAgent(database.read, projectId, agentId)) === null) {
      throw new ApiError("not_found", { resource: "agent" });
    }
    if (engine === null) return;
    const gate = { action: "bulk_retry", engine, hasInputs: false } as const;
    const reason = await whyNotAdvertised(database, gate, { projectId, agentId });
    if (reason === null) return;
    if (reason === "overrides_required") {
      throw new ApiError(
        "conflict",
        { reason, engine },
        { message: `${engine} retries tasks only with overrides, which a bulk retry cannot provide` },
      );
    }
    const who = agentId === null ? "no agent of this project advertises" : "the agent does not advertise";
    throw badRequest(["body", "filter", "engine"], reason, `${who} bulk_retry for ${engine}`, {
      engine,
      capability: "bulk_retry",
      reason,
    });
  }
}

const tooMany = (matched: number, max: number): ApiError =>
  invalid(
    { loc: ["body", "max"], type: "too_many", message: "is lower than the number of matching tasks" },
    { matched, max },
  );
