import { ApiError } from "../../../platform/http/error-codes.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { alone, type ChangeDeps, entryOf, noSchedule, type Requester, requireOwn } from "../rules.ts";
import { ownScheduler, successor } from "../slots.ts";
import { findSchedule } from "../store.ts";
import { changeControl, lockSchedule } from "./control-store.ts";

/** A request to an engine's scheduler that has been sent. */
export interface ExternalOperation {
  readonly operationId: string;
}

/** Asks the scheduler of an engine to enable or disable one of its schedules. @throws ApiError `conflict` */
export type SetNativeEnabled = (
  schedule: ScheduleRow,
  desired: boolean,
  requester: Requester,
) => Promise<ExternalOperation>;

export interface ControlDeps extends ChangeDeps {
  /** Absent while no agent serves schedulers of engines. */
  readonly setNativeEnabled?: SetNativeEnabled;
}

interface Change {
  readonly action: "enable" | "disable" | "pause" | "resume";
  /** Null when the schedule already is as requested. */
  changesOf(row: ScheduleRow, now: Date): Partial<ScheduleRow> | null;
}

const holds = {
  pause: { action: "pause", changesOf: ({ paused_at }, now) => (paused_at === null ? { paused_at: now } : null) },
  resume: { action: "resume", changesOf: ({ paused_at }) => (paused_at === null ? null : { paused_at: null }) },
} as const satisfies Record<string, Change>;

/** Enabling, disabling, pausing and resuming. A repeated request changes nothing and writes no audit row. */
export function createControl({ database, clock, audit, publish, setNativeEnabled }: ControlDeps) {
  async function control(
    { action, changesOf }: Change,
    id: string,
    { projectId, origin }: Requester,
  ): Promise<ScheduleRow> {
    const { row, isChanged } = await database.write(async (tx) => {
      const before = await lockSchedule(tx, projectId, id);
      if (before === undefined) throw noSchedule();
      requireOwn(before);
      const now = clock.now();
      const changes = changesOf(before, now);
      if (changes === null) return { row: before, isChanged: false };
      const after = await changeControl(tx, before, { ...changes, now });
      await audit.append(tx, entryOf(action, after, origin));
      return { row: after, isChanged: true };
    }, alone);
    if (isChanged) publish({ projectId, topic: "schedule.changed", ids: [id] });
    return row;
  }

  /**
   * Own schedules change at once. For those of engines it sends a request, whose operation is returned.
   *
   * @throws ApiError `not_found`; `conflict` when no slot follows, or when the request cannot be sent.
   */
  async function setEnabled(
    id: string,
    desired: boolean,
    requester: Requester,
  ): Promise<{ row: ScheduleRow; operation: ExternalOperation | null }> {
    const known = await findSchedule(database.read, requester.projectId, id);
    if (known === undefined) throw noSchedule();
    if (known.scheduler === ownScheduler) {
      return { row: await control(desired ? enabling : disabling, id, requester), operation: null };
    }
    if (setNativeEnabled === undefined) throw new ApiError("conflict", { reason: "no_online_agent" });
    return { row: known, operation: await setNativeEnabled(known, desired, requester) };
  }

  return {
    setEnabled,
    pause: (id: string, requester: Requester) => control(holds.pause, id, requester),
    resume: (id: string, requester: Requester) => control(holds.resume, id, requester),
  };
}

const enabling: Change = {
  action: "enable",
  changesOf(row, now) {
    if (row.is_enabled) return null;
    if (successor(row, now) === null) {
      const message = "no slot follows: change the expression first";
      throw new ApiError("conflict", { reason: "never_matches", field: "expression" }, { message });
    }
    return { is_enabled: true };
  },
};

const disabling: Change = {
  action: "disable",
  changesOf: ({ is_enabled }) => (is_enabled ? { is_enabled: false } : null),
};
