import type { Tx } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { BulkRetryRequestRow, Core, Tables } from "../../schema/tables/index.ts";
import type { Audit } from "../audit/index.ts";
import type { Requester } from "./planning/create.ts";
import { resumedCanary } from "./rounds/canary.ts";
import { deleteMatches } from "./sealing/sealing-store.ts";
import { controlMachine, controlOf, isFinished, statusOf } from "./states.ts";
import { findRequest, holdRequest, updateRequest } from "./store.ts";

interface ControlRule {
  readonly action: "paused" | "resumed" | "cancelled";
  /** Whether it applies only to requests that are not sealed yet, or only to sealed ones. */
  readonly isOfSealing: boolean;
}

export interface ControlDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly parentTimeoutSeconds: number;
}

type Changes = Partial<BulkRetryRequestRow> | null;
type Change = (row: BulkRetryRequestRow, now: Date, tx: Tx<Tables>) => Changes | Promise<Changes>;

/** Pausing, resuming and cancelling. A repeated request changes nothing and writes no audit row. */
export function createControl({ database, clock, audit, parentTimeoutSeconds }: ControlDeps) {
  function controlling({ action, isOfSealing }: ControlRule, changeOf: Change) {
    return async function control(id: string, { projectId, origin }: Requester): Promise<BulkRetryRequestRow> {
      if ((await findRequest(database.read, projectId, id)) === undefined) throw notFound();
      return database.write(
        async (tx) => {
          const row = await holdRequest(tx, id);
          if (row === undefined) throw notFound();
          const now = clock.now();
          const status = statusOf(row, now);
          if (status === action) return row;
          if (isFinished(row)) throw new ApiError("conflict", { reason: "finished", status });
          if ((status === "sealing") !== isOfSealing) {
            throw new ApiError("conflict", { reason: isOfSealing ? "sealed" : "sealing", status });
          }
          const changes = await changeOf(row, now, tx);
          if (changes === null) return row;
          await updateRequest(tx, id, changes);
          await audit.append(tx, {
            ...origin,
            action: `bulk_retry_request.${action}`,
            target_type: "bulk_retry_request",
            target_id: id,
            project_id: projectId,
            metadata: {
              was: controlOf(row, now),
              pending: row.pending_count,
              ...(row.blocked_reason !== null && { reason: row.blocked_reason }),
            },
          });
          return { ...row, ...changes };
        },
        { alone: true },
      );
    };
  }

  return {
    /** Stops sending; retries that were sent continue. A blocked request stays blocked. */
    pause: controlling({ action: "paused", isOfSealing: false }, (row, now) => {
      const paused = controlMachine.next(controlOf(row, now), "pause");
      return paused && { control_state: paused };
    }),
    /** Continues a paused or blocked request with a new deadline, and without its canary if that blocked it. */
    resume: controlling({ action: "resumed", isOfSealing: false }, async (row, now, tx) => {
      const running = controlMachine.next(controlOf(row, now), "resume");
      if (running === null) return null;
      return {
        control_state: running,
        blocked_reason: null,
        deadline_at: new Date(now.getTime() + parentTimeoutSeconds * 1000),
        ...(await resumedCanary(tx, { row, now })),
      };
    }),
    /** Ends the search of an unsealed request; no task is retried. */
    cancel: controlling({ action: "cancelled", isOfSealing: true }, async (row, now, tx) => {
      await deleteMatches(tx, [row.id]);
      return { control_state: controlMachine.to("cancel"), finished_at: now };
    }),
  };
}

const notFound = (): ApiError => new ApiError("not_found", { resource: "bulk_retry_request" });
