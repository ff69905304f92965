import { isUuid } from "@svc/protocol";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { clampLimit, type PageSizes, pageOf } from "../../platform/http/content/paging.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import { createControl } from "./control.ts";
import type { ChangedTasks } from "./coordination/canary-watch.ts";
import { Coordinator, type CoordinatorDeps } from "./coordination/coordinator.ts";
import { type CreateRequestsDeps, createRequests, type Requester } from "./planning/create.ts";
import type { BulkRetryBody, BulkRetryListQuery, BulkRetryRequest, BulkRetryRequestPage } from "./schemas.ts";
import { publicRequest } from "./shapes.ts";
import { findRequest, newestRequests } from "./store.ts";

export type BulkRetriesDeps = CoordinatorDeps & CreateRequestsDeps;

/** Retries many tasks one by one, across restarts of the service. */
export function createBulkRetries(deps: BulkRetriesDeps) {
  const { database, clock } = deps;
  const coordinator = new Coordinator(deps);
  const create = createRequests(deps);
  const control = createControl(deps);
  const shown = (row: Parameters<typeof publicRequest>[0]) => publicRequest(row, clock.now());

  return {
    async create(body: BulkRetryBody, requester: Requester): Promise<BulkRetryRequest> {
      const row = await create(body, requester);
      coordinator.wake(row.id);
      return shown(row);
    },
    /** @throws ApiError `not_found` */
    async get(projectId: string, id: string): Promise<BulkRetryRequest> {
      const row = await findRequest(database.read, projectId, id);
      if (row === undefined) throw new ApiError("not_found", { resource: "bulk_retry_request" });
      return shown(row);
    },
    /** A project's requests, newest first. */
    async list(projectId: string, query: BulkRetryListQuery, sizes: PageSizes): Promise<BulkRetryRequestPage> {
      const limit = clampLimit(query.limit, sizes);
      const [beforeId] = decodeCursor(query.cursor, ["string"]) ?? [];
      const rows = await newestRequests(database.read, projectId, {
        beforeId: beforeId !== undefined && isUuid(beforeId) ? beforeId : null,
        commandId: query.command_id?.toLowerCase() ?? null,
        limit: limit + 1,
      });
      const page = pageOf(rows, limit, ({ id }) => encodeCursor([id]));
      return { ...page, items: page.items.map(shown) };
    },
    pause: async (id: string, requester: Requester): Promise<BulkRetryRequest> =>
      shown(await control.pause(id, requester)),
    cancel: async (id: string, requester: Requester): Promise<BulkRetryRequest> =>
      shown(await control.cancel(id, requester)),
    async resume(id: string, requester: Requester): Promise<BulkRetryRequest> {
      const row = await control.resume(id, requester);
      coordinator.wake(id);
      return shown(row);
    },
    /** An agent of the project connected to this process. */
    agentConnected: (projectId: string): void => coordinator.agentConnected(projectId),
    /** This process has stored changes of tasks. */
    tasksChanged: (change: ChangedTasks): void => coordinator.tasksChanged(change),
    tick: (signal: AbortSignal): Promise<number> => coordinator.tick(signal),
    stop: (): Promise<void> => coordinator.stop(),
  };
}

export type BulkRetries = ReturnType<typeof createBulkRetries>;
