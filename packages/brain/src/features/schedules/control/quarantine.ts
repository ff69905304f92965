import { cutCharacters, storableText } from "@svc/protocol";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { ownOrigin } from "../../audit/index.ts";
import { alone, type ChangeDeps, entryOf, noSchedule, type Requester, requireOwn } from "../rules.ts";
import { ownScheduler } from "../slots.ts";
import { changeControl, lockSchedule, lockSchedules } from "./control-store.ts";

/** A scheduler's report of a schedule that it cannot fire. */
export interface QuarantineReport {
  readonly scheduleId: string;
  readonly controlToken: string;
  /** Cut to 64 characters. */
  readonly reasonCode: string;
  /** Cut to 1024 characters. */
  readonly detail: string;
  /** Projects that the scheduler may see; null for all. */
  readonly projectIds: readonly string[] | null;
}

export interface QuarantineResult {
  readonly outcome: "APPLIED" | "ALREADY_APPLIED" | "STALE_CONTROL" | "NOT_FOUND";
  /** Of the schedule; 0 when it was not found. */
  readonly revision: number;
}

const codeCharacters = 64;
const detailCharacters = 1024;

export function createQuarantine({ database, clock, audit, publish }: ChangeDeps) {
  const changed = ({ project_id: projectId, id }: ScheduleRow) =>
    publish({ projectId, topic: "schedule.changed", ids: [id] });

  return {
    /** Stops a schedule that cannot be fired until an administrator releases it. */
    async quarantine({
      scheduleId,
      controlToken,
      reasonCode,
      detail,
      projectIds,
    }: QuarantineReport): Promise<QuarantineResult> {
      const { row, outcome } = await database.write(async (tx) => {
        const [row] = await lockSchedules(tx, [scheduleId]);
        const isSeen = row !== undefined && (projectIds === null || projectIds.includes(row.project_id));
        if (!isSeen || row.scheduler !== ownScheduler) return { row: null, outcome: "NOT_FOUND" as const };
        // Its token is no longer the one that a repeated report names.
        if (row.quarantined_at !== null) return { row, outcome: "ALREADY_APPLIED" as const };
        if (row.control_token !== controlToken) return { row, outcome: "STALE_CONTROL" as const };
        const now = clock.now();
        const quarantined = await changeControl(tx, row, {
          quarantine_code: cutCharacters(storableText(reasonCode), codeCharacters),
          quarantine_detail: cutCharacters(storableText(detail), detailCharacters),
          quarantined_at: now,
          now,
        });
        const { quarantine_code: reason, quarantine_detail } = quarantined;
        await audit.append(tx, entryOf("quarantined", quarantined, ownOrigin, { reason, detail: quarantine_detail }));
        return { row: quarantined, outcome: "APPLIED" as const };
      }, alone);
      if (outcome === "APPLIED") changed(row);
      return { outcome, revision: row?.schedule_revision ?? 0 };
    },

    /**
     * Releases a schedule; its next slot is computed from now on.
     *
     * @param observedToken of the schedule as the administrator saw it.
     * @throws ApiError `not_found`; `conflict` for a native schedule, and with the live token when it has changed since
     */
    async clearQuarantine(id: string, observedToken: string, { projectId, origin }: Requester): Promise<ScheduleRow> {
      const { row, isChanged } = await database.write(async (tx) => {
        const row = await lockSchedule(tx, projectId, id);
        if (row === undefined) throw noSchedule();
        requireOwn(row);
        if (row.control_token !== observedToken) {
          const details = { reason: "stale_control_token", live_control_token: row.control_token };
          throw new ApiError("conflict", details, { message: "the schedule has changed; check it again" });
        }
        if (row.quarantined_at === null) return { row, isChanged: false };
        const none = { quarantine_code: null, quarantine_detail: null, quarantined_at: null };
        const released = await changeControl(tx, row, { ...none, now: clock.now() });
        await audit.append(tx, entryOf("quarantine_cleared", released, origin, { reason: row.quarantine_code }));
        return { row: released, isChanged: true };
      }, alone);
      if (isChanged) changed(row);
      return row;
    },
  };
}
