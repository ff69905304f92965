import { canonicalText } from "@svc/protocol";
import type { Clock } from "../../../platform/clock.ts";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import { invalid } from "../../../platform/http/error-codes.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { BulkRetryChildRow, BulkRetryRequestRow } from "../../../schema/tables/index.ts";
import type { RetriedTask } from "../../tasks/index.ts";
import { digestOf, type EffectiveRequest } from "./effective-request.ts";

/** Ordinals of one engine. Those before `next` are claimed; `end` is exclusive. Children are ordered by engine, so each engine has one range. */
export interface EngineRange {
  readonly engine: string;
  readonly next: number;
  readonly end: number;
}

/** The ranges of a request with unsent children. */
export const openRanges = ({ ranges }: Pick<BulkRetryRequestRow, "ranges">): EngineRange[] =>
  (JSON.parse(ranges) as EngineRange[]).filter(({ next, end }) => next < end);

export interface SealedPlan {
  readonly children: readonly BulkRetryChildRow[];
  readonly planDigest: string;
  readonly ranges: readonly EngineRange[];
}

/** Bytes reserved in a frame around the payload: 16 KiB, or half of a frame below 32 KiB. */
const freeBytes = (maxFrameBytes: number): number => Math.min(16_384, maxFrameBytes / 2);

/** Children created before the event loop gets a turn. */
const childrenAtOnce = 500;

/**
 * The children of a request, one task each in the given order, and the digest over all of them.
 *
 * @throws ApiError `validation_error` when a payload is too large for a frame.
 */
export async function sealPlan(
  { clock, maxFrameBytes }: { clock: Pick<Clock, "now">; maxFrameBytes: number },
  {
    projectId,
    parentId,
    effective,
    tasks,
  }: {
    projectId: string;
    parentId: string;
    effective: EffectiveRequest;
    tasks: readonly Pick<RetriedTask, "engine" | "task_id" | "name" | "priority" | "reported_by">[];
  },
): Promise<SealedPlan> {
  const children: BulkRetryChildRow[] = [];
  const ranges: EngineRange[] = [];
  for (const task of tasks) {
    const { engine, task_id } = task;
    const ordinal = children.length;
    const parameters = {
      filter: {
        ...effective.childFilter,
        engine,
        task_ids: [task_id],
        task_names: { [task_id]: task.name },
        task_priorities: { [task_id]: task.priority },
      },
      max: 1,
    };
    const payload = storedJson(parameters);
    const payloadBytes = Buffer.byteLength(payload);
    if (payloadBytes + freeBytes(maxFrameBytes) > maxFrameBytes) {
      throw invalid({ loc: ["body", "filter"], type: "too_long", message: "is too large for a frame to the agent" });
    }
    children.push({
      id: uuidV7(clock),
      parent_id: parentId,
      project_id: projectId,
      ordinal,
      engine,
      task_id,
      reported_by: task.reported_by,
      target_agent_id: effective.agentId,
      payload,
      payload_digest: digestOf(canonicalText(JSON.parse(payload))),
      payload_size: payloadBytes,
      required_contract_version: 1,
      delivery_state: "pending",
      outcome: "unobserved",
      command_id: null,
      claimed_agent_id: null,
      claimed_generation: null,
      claimed_at: null,
      claim_deadline_at: null,
      completed_at: null,
      error: null,
      task_outcome: null,
      ended_before_at: null,
      new_task_id: null,
    });
    const last = ranges.at(-1);
    if (last?.engine === engine) ranges[ranges.length - 1] = { ...last, end: ordinal + 1 };
    else ranges.push({ engine, next: ordinal, end: ordinal + 1 });
    if (children.length % childrenAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const planned = children.map(({ engine, ordinal, payload_digest }) => ({ engine, ordinal, payload_digest }));
  return { children, planDigest: digestOf(canonicalText({ children: planned })), ranges };
}
