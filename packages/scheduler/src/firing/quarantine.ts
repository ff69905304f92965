import { CadenceError } from "@svc/cadence";
import type { QuarantineRequest } from "@svc/protocol";
import type { Schedule } from "../schedules/row.ts";

const maxReasonChars = 64;
const maxDetailChars = 1024;

/** Reports a schedule whose slots cannot be computed. */
export function quarantineRequest(schedule: Pick<Schedule, "id" | "controlToken">, fault: unknown): QuarantineRequest {
  const code = fault instanceof CadenceError ? fault.reason : "cadence_failed";
  const detail = fault instanceof Error ? fault.message : String(fault);
  return {
    schedule_id: schedule.id,
    control_token: schedule.controlToken,
    reason_code: code.slice(0, maxReasonChars),
    detail: detail.slice(0, maxDetailChars),
  };
}
