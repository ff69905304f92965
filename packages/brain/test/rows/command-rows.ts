import { randomUUID } from "node:crypto";
import { engineOf } from "../../src/features/commands/issuing/issue-command.ts";
import type { CommandRow } from "../../src/schema/tables/index.ts";

/** A pending command, as the command routes create it, without a timeout. */
export function commandRow(given: Partial<CommandRow> & Pick<CommandRow, "project_id">): CommandRow {
  const payload = given.payload ?? '{"engine":"bullmq","task_id":"task-1"}';
  return {
    id: randomUUID(),
    issued_by: null,
    agent_id: null,
    action: "cancel_task",
    target_type: "task",
    target_id: "task-1",
    engine: engineOf(JSON.parse(payload) as Record<string, unknown>),
    payload,
    idempotency_key: null,
    request_digest: null,
    status: "pending",
    result: null,
    error: null,
    delivery_claim_token: null,
    issued_at: new Date(),
    dispatched_at: null,
    acked_at: null,
    last_sent_at: null,
    completed_at: null,
    timeout_at: null,
    source_ip: null,
    api_key_id: null,
    ...given,
  };
}
