import type { EventKind, TaskEvent, TaskRow } from "@svc/client";

/** A finished task with default values for everything that the test does not set. */
export function taskRow(given: Partial<TaskRow> = {}): TaskRow {
  return {
    id: "00000000-0000-4000-8000-000000000001",
    project_id: "11111111-2222-4333-8444-555555555555",
    engine: "bullmq",
    task_id: "42",
    name: "emails.send",
    queue: "emails",
    state: "success",
    priority: "normal",
    exception: null,
    retry_count: 0,
    attempt: 0,
    max_attempts: null,
    eta: null,
    received_at: "2026-11-20T10:00:00.000Z",
    started_at: "2026-11-20T10:00:02.000Z",
    finished_at: "2026-11-20T10:00:05.000Z",
    wait_ms: 2000,
    runtime_ms: 3000,
    worker_name: "mailer-1",
    parent_task_id: null,
    root_task_id: null,
    tags: [],
    release: null,
    traceparent: null,
    fingerprint: null,
    retry_of: null,
    retried_as: null,
    last_event_at: "2026-11-20T10:00:05.000Z",
    created_at: "2026-11-20T10:00:00.000Z",
    updated_at: "2026-11-20T10:00:05.000Z",
    ...given,
  };
}

/** An event of that task, `second` seconds after it was received. */
export function taskEvent(kind: EventKind, second: number, payload: Record<string, unknown> = {}): TaskEvent {
  return {
    id: `${kind} ${second}`,
    project_id: "11111111-2222-4333-8444-555555555555",
    agent_id: "22222222-2222-4333-8444-555555555555",
    engine: "bullmq",
    task_id: "42",
    kind,
    occurred_at: new Date(Date.parse("2026-11-20T10:00:00.000Z") + second * 1000).toISOString(),
    payload,
  };
}
