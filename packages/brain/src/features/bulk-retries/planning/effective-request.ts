import { createHash } from "node:crypto";
import { CanonicalError, canonicalText, type Priority, priorities, type TaskState } from "@svc/protocol";
import { ApiError, invalid, type ValidationFault } from "../../../platform/http/error-codes.ts";
import { parseInstant } from "../../../platform/http/schemas.ts";
import { instantsOf, type RetrySelection, readQuery } from "../../tasks/index.ts";
import { type BulkRetryBody, type BulkRetryFilter, filterKeys } from "../schemas.ts";

/** The stored request and the values derived from it. */
export interface EffectiveRequest {
  readonly idempotencyKey: string;
  readonly text: string;
  readonly canonicalDigest: string;
  readonly selection: RetrySelection;
  /** The part of the filter that each child repeats: everything except what only the service evaluates. */
  readonly childFilter: Readonly<Record<string, unknown>>;
  readonly max: number;
  readonly agentId: string | null;
  readonly canary: { readonly size: number; readonly maxFailures: number } | null;
  readonly ratePerMinute: number | null;
}

const defaultMax = 1000;

/** @throws ApiError `validation_error`, with status 400 for a filter that cannot be right. */
export function readEffectiveRequest(body: BulkRetryBody): EffectiveRequest {
  const { filter } = body;
  const max = body.max ?? defaultMax;
  const unknown = Object.keys(filter).find((key) => !filterKeys.has(key));
  if (unknown !== undefined)
    throw badRequest(["body", "filter"], "unknown_key", `has an unknown key; allowed: ${[...filterKeys].join(", ")}`);
  const taskIds = filter.task_ids == null ? null : [...new Set(filter.task_ids)];
  const engine = filter.engine ?? null;
  if (taskIds !== null && engine === null) {
    throw badRequest(["body", "filter", "engine"], "missing", "is required when task_ids is set");
  }
  if (taskIds !== null && filter.priority != null) {
    throw badRequest(["body", "filter", "priority"], "not_with_task_ids", "cannot be combined with task_ids");
  }
  if (taskIds !== null && taskIds.length > max) {
    throw badRequest(["body", "filter", "task_ids"], "too_many", "has more ids than max");
  }
  if (filter.state != null && filter.status != null && filter.state !== filter.status) {
    throw badRequest(["body", "filter", "status"], "differs_from_state", "must equal state when both are set");
  }
  const canary = canaryOf(body);
  const agentId = body.agent_id?.toLowerCase() ?? null;
  const state = filter.state ?? filter.status ?? "failure";
  const wanted = filter.priority == null ? null : new Set<Priority>(filter.priority);
  if (taskIds !== null && filter.q != null) {
    throw badRequest(["body", "filter", "q"], "not_with_task_ids", "cannot be combined with task_ids");
  }
  if (filter.q != null) readQuery(filter.q, ["body", "filter", "q"]);
  const ratePerMinute = body.rate_per_minute ?? null;
  return effectiveOf(body.idempotency_key, {
    action: "bulk_retry",
    filter: {
      state,
      ...(filter.queue != null && { queue: filter.queue }),
      ...(filter.name != null && { name: filter.name }),
      ...(filter.search != null && { search: filter.search }),
      ...(wanted !== null && { priority: priorities.filter((priority) => wanted.has(priority)) }),
      ...instant("since", filter),
      ...instant("until", filter),
      ...(engine !== null && { engine }),
      ...(taskIds !== null && { task_ids: taskIds }),
      ...(filter.q != null && { q: filter.q }),
    },
    max,
    target: agentId === null ? { routing_policy: "project_compatible_session_v1" } : { agent_id: agentId },
    version: 2,
    ...(canary !== null && { canary: { size: canary.size, max_failures: canary.maxFailures } }),
    ...(ratePerMinute !== null && { rate_per_minute: ratePerMinute }),
  });
}

/** The request as it is stored. */
interface StoredRequest {
  readonly action: "bulk_retry";
  readonly filter: {
    readonly state: TaskState;
    readonly queue?: string;
    readonly name?: string;
    readonly search?: string;
    readonly priority?: readonly Priority[];
    readonly since?: string;
    readonly until?: string;
    readonly engine?: string;
    readonly task_ids?: readonly string[];
    readonly q?: string;
  };
  readonly max: number;
  readonly target: { readonly agent_id?: string; readonly routing_policy?: string };
  readonly version: 2;
  readonly canary?: { readonly size: number; readonly max_failures: number };
  readonly rate_per_minute?: number;
}

/** Reads a stored request. */
export const readStoredRequest = (idempotencyKey: string, text: string): EffectiveRequest =>
  effectiveOf(idempotencyKey, JSON.parse(text) as StoredRequest);

function effectiveOf(idempotencyKey: string, stored: StoredRequest): EffectiveRequest {
  const { engine, task_ids: taskIds, q, ...shared } = stored.filter;
  const text = canonicalOf(stored);
  return {
    idempotencyKey,
    text,
    canonicalDigest: digestOf(text),
    selection: {
      engine: engine ?? null,
      taskIds: taskIds ?? null,
      q: q ?? null,
      filter: {
        state: shared.state,
        ...(shared.priority !== undefined && { priorities: shared.priority }),
        ...(shared.queue !== undefined && { queue: shared.queue }),
        ...(shared.name !== undefined && { name: shared.name }),
        ...(shared.search !== undefined && { search: shared.search.toLowerCase() }),
        ...instantsOf(shared.since, shared.until),
      },
    },
    childFilter: shared,
    max: stored.max,
    agentId: stored.target.agent_id ?? null,
    canary: stored.canary === undefined ? null : { size: stored.canary.size, maxFailures: stored.canary.max_failures },
    ratePerMinute: stored.rate_per_minute ?? null,
  };
}

function canaryOf({ canary_size: size, canary_max_failures: failures }: BulkRetryBody): EffectiveRequest["canary"] {
  if (size == null && failures != null) {
    throw invalid({
      loc: ["body", "canary_size"],
      type: "missing",
      message: "is required when canary_max_failures is set",
    });
  }
  return size == null ? null : { size, maxFailures: failures ?? 0 };
}

/** UTC with Z, in whichever form it was given. */
function instant<Name extends "since" | "until">(name: Name, filter: BulkRetryFilter): { [K in Name]?: string } {
  const given = filter[name];
  if (given == null) return {};
  const at = typeof given === "number" ? new Date(Math.floor(given * 1000)) : (parseInstant(given) as Date);
  return { [name]: at.toISOString() } as { [K in Name]?: string };
}

export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

function canonicalOf(value: unknown): string {
  try {
    return canonicalText(value);
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    throw invalid({
      loc: ["body"],
      type: "unpaired_surrogate",
      message: "contains text that is not well-formed Unicode",
    });
  }
}

/** For invalid bodies that get status 400 instead of 422. */
export const badRequest = (
  loc: ValidationFault["loc"],
  type: string,
  message: string,
  details: Record<string, unknown> = {},
): ApiError =>
  new ApiError("validation_error", { ...details, errors: [{ loc, type, message }] }, { status: 400, message });
