import { ApiError } from "../../../platform/http/error-codes.ts";
import type { ScheduleFireRow, ScheduleRow } from "../../../schema/tables/index.ts";
import type { AuditEntry } from "../../audit/index.ts";
import { type ChangeDeps, changeControl, lockSchedule, noSchedule, successor } from "../../schedules/index.ts";
import { deletePendingFires, lockFire, moveLockedFire } from "../progress/progress-store.ts";
import { type FireMove, type FireStatus, fireMachine } from "../states.ts";
import type { FireRequester } from "./trigger.ts";

export const resolutions = ["completed", "failed", "cancelled", "timeout", "skipped"] as const;
export type Resolution = (typeof resolutions)[number];

export interface ResolveRequest {
  readonly fireId: string;
  readonly expectedStatus: FireStatus;
  readonly resolution: Resolution;
  readonly observedControlToken: string;
  readonly enabledAfterResolution: boolean;
}

export interface ResolvedFire {
  readonly disposition: "resolved" | "already_resolved";
  readonly schedule: ScheduleRow;
  readonly fire: ScheduleFireRow;
}

/** Ends a fire whose outcome is unknown, as an operator found it. */
export function createResolve({ database, clock, audit, publish }: ChangeDeps) {
  /** @throws ApiError `not_found`; `conflict` with `disposition` when fire or schedule have changed since */
  return async function resolve(
    scheduleId: string,
    request: ResolveRequest,
    { projectId, origin }: FireRequester,
  ): Promise<ResolvedFire> {
    const move: FireMove = `resolve_${request.resolution}`;
    const resolved = await database.write(
      async (tx): Promise<ResolvedFire> => {
        const schedule = await lockSchedule(tx, projectId, scheduleId);
        if (schedule === undefined) throw noSchedule();
        const fire = await lockFire(tx, request.fireId);
        if (fire === undefined || fire.schedule_id !== schedule.id)
          throw new ApiError("not_found", { resource: "fire" });
        if (fire.status === fireMachine.to(move)) return { disposition: "already_resolved", schedule, fire };
        requireUnchanged(request, schedule, fire);
        const to = fireMachine.next(fire.status, move);
        if (to === null) throw changed("not_resolvable", schedule, fire);
        await moveLockedFire(tx, fire, { move });
        await deletePendingFires(tx, [fire.fire_id]);
        const now = clock.now();
        // A schedule without a further slot stays disabled, like a clocked one after its fire.
        const is_enabled = request.enabledAfterResolution && (schedule.is_enabled || successor(schedule, now) !== null);
        const isSame = schedule.is_enabled === is_enabled;
        const after = isSame ? schedule : await changeControl(tx, schedule, { is_enabled, now });
        const entry: AuditEntry = {
          ...origin,
          action: request.resolution === "skipped" ? "schedule.fire.operator_skipped" : "schedule.fire.resolved",
          target_type: "schedule",
          target_id: schedule.id,
          project_id: projectId,
          metadata: {
            name: schedule.name,
            fire_id: fire.fire_id,
            from: fire.status,
            to,
            work_may_have_executed: true,
            enabled_after_resolution: is_enabled,
          },
        };
        await audit.append(tx, entry);
        return { disposition: "resolved", schedule: after, fire: { ...fire, status: to } };
      },
      { alone: true },
    );
    publish({ projectId, topic: "schedule.changed", ids: [scheduleId] });
    return resolved;
  };
}

function requireUnchanged(
  { expectedStatus, observedControlToken }: ResolveRequest,
  schedule: ScheduleRow,
  fire: ScheduleFireRow,
): void {
  if (schedule.control_token !== observedControlToken) throw changed("stale_control", schedule, fire);
  if (fire.status !== expectedStatus) throw changed("status_changed", schedule, fire);
}

const messages = {
  stale_control: "the schedule has changed; load it again",
  status_changed: "the fire has another status now; load it again",
  not_resolvable: "the fire has ended with a known outcome",
};

const changed = (disposition: keyof typeof messages, schedule: ScheduleRow, fire: ScheduleFireRow): ApiError =>
  new ApiError(
    "conflict",
    { disposition, status: fire.status, live_control_token: schedule.control_token },
    { message: messages[disposition] },
  );
