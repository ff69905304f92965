import { parseJson, redactionMarker, redeliverableActions } from "@svc/protocol";
import type { Role } from "../../platform/http/access/actor.ts";
import type { CommandRow } from "../../schema/tables/index.ts";
import type { CommandPublic, TaskCommand } from "./schemas.ts";

/** Columns of the public shape, without the claim token and other internal columns. */
export const publicCommandColumns = [
  "id",
  "project_id",
  "issued_by",
  "agent_id",
  "action",
  "target_type",
  "target_id",
  "payload",
  "idempotency_key",
  "status",
  "result",
  "error",
  "issued_at",
  "dispatched_at",
  "completed_at",
  "timeout_at",
  "source_ip",
] as const;
export type PublicCommandRow = Pick<CommandRow, (typeof publicCommandColumns)[number]>;

type TaskCommandRow = Omit<TaskCommand, "is_repeatable">;

const seesAll: ReadonlySet<Role> = new Set(["operator", "admin"]);

/** A command as this role may see it. Issuer, payload and result are for operators and admins. */
export function publicCommand(row: PublicCommandRow, role: Role): CommandPublic {
  const isFull = seesAll.has(role);
  return {
    id: row.id,
    project_id: row.project_id,
    issued_by: isFull ? row.issued_by : null,
    agent_id: row.agent_id,
    action: row.action,
    is_repeatable: redeliverableActions.has(row.action),
    target_type: row.target_type,
    target_id: row.target_id,
    payload: isFull ? shownPayload(row.payload) : {},
    idempotency_key: row.idempotency_key,
    status: row.status,
    result: isFull && row.result !== null ? parseJson(row.result) : null,
    error: row.error,
    issued_at: row.issued_at,
    dispatched_at: row.dispatched_at,
    completed_at: row.completed_at,
    timeout_at: row.timeout_at,
    // The address could identify the issuer.
    source_ip: isFull ? row.source_ip : null,
  };
}

/** A command of a task as this role may see it. Its requester and bulk retry are for operators and admins. */
export function taskCommand(row: TaskCommandRow, role: Role): TaskCommand {
  const shown = { ...row, is_repeatable: redeliverableActions.has(row.action) };
  if (seesAll.has(role)) return shown;
  const hidden = {
    issued_by: null,
    issuer_email: null,
    issuer_display_name: null,
    api_key_name: null,
    bulk_retry_id: null,
  };
  return { ...shown, ...hidden };
}

/** Anyone with the confirm token could purge the queue, so it is never shown. */
function shownPayload(text: string): Record<string, unknown> {
  const payload = parseJson(text) as Record<string, unknown>;
  return typeof payload.confirm_token === "string" ? { ...payload, confirm_token: redactionMarker } : payload;
}
