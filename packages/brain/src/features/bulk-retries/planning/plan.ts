import { decodeCursor, encodeCursor } from "../../../platform/http/content/cursors.ts";
import { clampLimit, type PageSizes, pageOf } from "../../../platform/http/content/paging.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { findRequest } from "../store.ts";
import { childrenAfter, effectiveText, type ShownChild } from "./plan-reads.ts";
import type { BulkRetryChildPage, BulkRetryPlan, ChildQuery } from "./plan-schemas.ts";
import type { EngineRange } from "./seal.ts";

/** The plan of a request, which never changes. @throws ApiError `not_found` */
export async function readPlan({ read }: BrainDatabase, projectId: string, id: string): Promise<BulkRetryPlan> {
  const row = await findRequest(read, projectId, id);
  const text = row && (await effectiveText(read, id));
  if (row === undefined || text == null) throw new ApiError("not_found", { resource: "bulk_retry_request" });
  const { filter, max, canary } = JSON.parse(text) as {
    filter: BulkRetryPlan["filter"] & { task_ids?: readonly string[] };
    max: number;
    canary?: { size: number; max_failures: number };
  };
  const { task_ids: named, ...shown } = filter;
  let begin = 0;
  const engines = (JSON.parse(row.ranges) as readonly EngineRange[]).map(({ engine, end }) => {
    const tasks = end - begin;
    begin = end;
    return { engine, tasks };
  });
  return {
    issued_by: row.issued_by,
    filter: shown,
    named_tasks: named?.length ?? null,
    max,
    max_in_flight: row.max_in_flight,
    canary_size: canary?.size ?? null,
    canary_max_failures: canary?.max_failures ?? null,
    rate_per_minute: row.rate_per_minute,
    engines,
  };
}

/** The children of a request, in sending order. @throws ApiError `not_found` */
export async function listChildren(
  { read }: BrainDatabase,
  sizes: PageSizes,
  { projectId, id, query }: { projectId: string; id: string; query: ChildQuery },
): Promise<BulkRetryChildPage> {
  if ((await findRequest(read, projectId, id)) === undefined)
    throw new ApiError("not_found", { resource: "bulk_retry_request" });
  const limit = clampLimit(query.limit, sizes);
  const [after = -1] = decodeCursor(query.cursor, ["integer"]) ?? [];
  const rows = await childrenAfter(read, id, { after, limit: limit + 1, outcome: query.outcome ?? null });
  const page = pageOf(rows, limit, ({ ordinal }) => encodeCursor([ordinal]));
  return { ...page, items: page.items.map(publicChild) };
}

function publicChild({ payload, claimed_agent_id, ...row }: ShownChild): BulkRetryChildPage["items"][number] {
  const { filter } = JSON.parse(payload) as { filter: { task_names: Readonly<Record<string, string>> } };
  return {
    ...row,
    delivery_state: row.delivery_state as "pending" | "claimed",
    outcome: row.outcome as BulkRetryChildPage["items"][number]["outcome"],
    task_name: Object.hasOwn(filter.task_names, row.task_id) ? (filter.task_names[row.task_id] ?? null) : null,
    agent_id: claimed_agent_id,
  };
}
