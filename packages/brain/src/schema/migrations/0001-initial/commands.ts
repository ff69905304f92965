import type { ColumnTypes } from "../../../platform/database/dialects/column-types.ts";

/** Commands to agents, and bulk retries, which send them. */
export const commandTables = (t: ColumnTypes): readonly string[] => [
  `CREATE TABLE commands (
    id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL, issued_by ${t.uuid}, agent_id ${t.uuid},
    action ${t.text} NOT NULL, target_type ${t.text} NOT NULL, target_id ${t.text}, engine ${t.text},
    payload ${t.json} NOT NULL, idempotency_key ${t.text}, request_digest ${t.text}, status ${t.text} NOT NULL, result ${t.json}, error ${t.text},
    delivery_claim_token ${t.text}, issued_at ${t.instant} NOT NULL, dispatched_at ${t.instant}, acked_at ${t.instant},
    last_sent_at ${t.instant}, completed_at ${t.instant}, timeout_at ${t.instant}, source_ip ${t.text}, api_key_id ${t.uuid},
    UNIQUE (project_id, idempotency_key)) ${t.options}`,
  "CREATE INDEX commands_by_agent ON commands (agent_id, status, issued_at)",
  "CREATE INDEX commands_by_project ON commands (project_id, issued_at, id)",
  "CREATE INDEX commands_by_status ON commands (project_id, status, issued_at, id)",
  "CREATE INDEX commands_by_action ON commands (project_id, action, issued_at, id)",
  "CREATE INDEX commands_by_project_agent ON commands (project_id, agent_id, issued_at, id)",
  "CREATE INDEX commands_by_issuer ON commands (issued_by) WHERE issued_by IS NOT NULL",
  "CREATE INDEX commands_by_age ON commands (issued_at)",
  "CREATE INDEX commands_open ON commands (timeout_at) WHERE status IN ('pending', 'dispatched')",

  `CREATE TABLE command_tasks (
    project_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL, task_id ${t.text} NOT NULL,
    command_id ${t.uuid} NOT NULL REFERENCES commands (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, engine, task_id, command_id)) ${t.options}`,
  "CREATE INDEX command_tasks_by_command ON command_tasks (command_id)",

  `CREATE TABLE bulk_retry_requests (
    id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL, issued_by ${t.uuid}, source_ip ${t.text},
    idempotency_key ${t.text} NOT NULL, canonical_digest ${t.text} NOT NULL, plan_digest ${t.text},
    target_agent_id ${t.uuid}, control_state ${t.text} NOT NULL, blocked_reason ${t.text},
    child_count ${t.int} NOT NULL, pending_count ${t.int} NOT NULL, claimed_count ${t.int} NOT NULL,
    succeeded_count ${t.int} NOT NULL, failed_count ${t.int} NOT NULL, unknown_count ${t.int} NOT NULL,
    max_in_flight ${t.int} NOT NULL, ranges ${t.json} NOT NULL, canary_size ${t.int},
    canary_max_failures ${t.int} NOT NULL, canary_failures ${t.int} NOT NULL, rate_per_minute ${t.int},
    next_claim_at ${t.instant}, created_at ${t.instant} NOT NULL, sealed_at ${t.instant},
    deadline_at ${t.instant} NOT NULL, last_progress_at ${t.instant}, finished_at ${t.instant},
    found_count ${t.int} NOT NULL, reached_at ${t.instant}, reached_id ${t.uuid},
    UNIQUE (project_id, idempotency_key)) ${t.options}`,
  "CREATE INDEX bulk_retry_requests_list ON bulk_retry_requests (project_id, id)",
  "CREATE INDEX bulk_retry_requests_open ON bulk_retry_requests (id) WHERE finished_at IS NULL",
  "CREATE INDEX bulk_retry_requests_of_project ON bulk_retry_requests (project_id, id) WHERE finished_at IS NULL",
  "CREATE INDEX bulk_retry_requests_by_end ON bulk_retry_requests (finished_at) WHERE finished_at IS NOT NULL",
  "CREATE INDEX bulk_retry_requests_by_issuer ON bulk_retry_requests (issued_by) WHERE issued_by IS NOT NULL",

  `CREATE TABLE bulk_retry_effective_requests (
    request_id ${t.uuid} PRIMARY KEY, effective_request ${t.json} NOT NULL) ${t.options}`,

  `CREATE TABLE bulk_retry_matches (
    request_id ${t.uuid} NOT NULL, task_row_id ${t.uuid} NOT NULL,
    PRIMARY KEY (request_id, task_row_id)) ${t.options}`,

  `CREATE TABLE bulk_retry_children (
    id ${t.uuid} PRIMARY KEY, parent_id ${t.uuid} NOT NULL, project_id ${t.uuid} NOT NULL, ordinal ${t.int} NOT NULL,
    engine ${t.text} NOT NULL, task_id ${t.text} NOT NULL, reported_by ${t.uuid} NOT NULL, target_agent_id ${t.uuid},
    payload ${t.json} NOT NULL, payload_digest ${t.text} NOT NULL, payload_size ${t.int} NOT NULL,
    required_contract_version ${t.int} NOT NULL, delivery_state ${t.text} NOT NULL, outcome ${t.text} NOT NULL,
    command_id ${t.uuid}, claimed_agent_id ${t.uuid}, claimed_at ${t.instant}, claim_deadline_at ${t.instant},
    completed_at ${t.instant}, error ${t.text}, task_outcome ${t.text}, ended_before_at ${t.instant}, new_task_id ${t.text},
    claimed_generation ${t.int}, UNIQUE (parent_id, ordinal)) ${t.options}`,
  `CREATE INDEX bulk_retry_children_in_flight ON bulk_retry_children (parent_id, ordinal)
    WHERE delivery_state = 'claimed' AND outcome = 'unobserved'`,
  "CREATE INDEX bulk_retry_children_awaited ON bulk_retry_children (parent_id, ordinal) WHERE task_outcome = 'awaited'",
  "CREATE INDEX bulk_retry_children_by_command ON bulk_retry_children (command_id) WHERE command_id IS NOT NULL",
];
