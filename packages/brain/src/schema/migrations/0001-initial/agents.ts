import type { ColumnTypes } from "../../../platform/database/dialects/column-types.ts";

/** Agents, their processes, status samples and losses; workers and queues of the engines. */
export function agentTables(t: ColumnTypes): readonly string[] {
  const ofAgent = `agent_id ${t.uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE`;
  const ofProject = `project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE`;
  return [
    `CREATE TABLE agents (
      id ${t.uuid} PRIMARY KEY, ${ofProject}, name ${t.text} NOT NULL, token_hash ${t.text} NOT NULL UNIQUE,
      state ${t.text} NOT NULL, transport ${t.text}, protocol_version ${t.text} NOT NULL, agent_version ${t.text},
      framework_adapter ${t.text} NOT NULL, host_name ${t.text}, engine_adapters ${t.json} NOT NULL,
      scheduler_adapters ${t.json} NOT NULL, capabilities ${t.json} NOT NULL, runtime_features ${t.json} NOT NULL,
      metadata ${t.json} NOT NULL, last_seen_at ${t.instant}, last_connect_at ${t.instant}, revoked_at ${t.instant},
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL, UNIQUE (project_id, name)) ${t.options}`,
    "CREATE INDEX agents_online ON agents (last_seen_at) WHERE state = 'online'",

    `CREATE TABLE agent_workers (
      id ${t.uuid} PRIMARY KEY, ${ofAgent}, project_id ${t.uuid} NOT NULL, worker_id ${t.text}, role ${t.text},
      framework ${t.text}, pid ${t.int}, started_at ${t.instant}, state ${t.text} NOT NULL,
      last_seen_at ${t.instant}, last_connect_at ${t.instant},
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL,
      capabilities ${t.json} NOT NULL DEFAULT '{}') ${t.options}`,
    // All processes without a worker_id share one row.
    "CREATE UNIQUE INDEX agent_workers_by_worker ON agent_workers (agent_id, coalesce(worker_id, ''))",
    "CREATE INDEX agent_workers_online ON agent_workers (last_seen_at) WHERE state = 'online'",
    "CREATE INDEX agent_workers_by_project ON agent_workers (project_id, last_seen_at)",

    `CREATE TABLE agent_status_history (
      id ${t.serial} PRIMARY KEY, project_id ${t.uuid} NOT NULL, ${ofAgent},
      captured_at ${t.instant} NOT NULL, payload ${t.json} NOT NULL) ${t.options}`,
    "CREATE INDEX agent_status_by_agent ON agent_status_history (agent_id, captured_at)",

    `CREATE TABLE loss_marks (
      ${ofAgent}, scope ${t.text} NOT NULL, counters ${t.text} NOT NULL, seen_at ${t.instant} NOT NULL,
      PRIMARY KEY (agent_id, scope)) ${t.options}`,
    "CREATE INDEX loss_marks_by_age ON loss_marks (seen_at)",

    `CREATE TABLE loss_intervals (
      id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL, ${ofAgent}, reason ${t.text} NOT NULL,
      from_at ${t.instant} NOT NULL, to_at ${t.instant} NOT NULL, event_records ${t.int} NOT NULL,
      other_frames ${t.int} NOT NULL) ${t.options}`,
    "CREATE INDEX loss_intervals_by_project ON loss_intervals (project_id, to_at)",
    "CREATE INDEX loss_intervals_by_agent ON loss_intervals (agent_id, reason, to_at)",
    "CREATE INDEX loss_intervals_by_age ON loss_intervals (to_at)",

    `CREATE TABLE workers (
      id ${t.uuid} PRIMARY KEY, ${ofProject}, engine ${t.text} NOT NULL, name ${t.text} NOT NULL, hostname ${t.text},
      pid ${t.int}, concurrency ${t.int}, queues ${t.json} NOT NULL, state ${t.text} NOT NULL, state_key ${t.text},
      state_at ${t.instant}, last_heartbeat ${t.instant}, load_average ${t.real}, memory_bytes ${t.int},
      active_tasks ${t.int} NOT NULL, metadata ${t.json} NOT NULL, details_at ${t.instant},
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL, UNIQUE (project_id, engine, name)) ${t.options}`,

    `CREATE TABLE queues (
      id ${t.uuid} PRIMARY KEY, ${ofProject}, engine ${t.text} NOT NULL, name ${t.text} NOT NULL, broker_type ${t.text},
      broker_url_hint ${t.text}, last_seen_at ${t.instant}, pending_count ${t.int} NOT NULL, consumer_count ${t.int} NOT NULL,
      oldest_waiting_since ${t.instant}, depth_reported_at ${t.instant}, consumers_reported_at ${t.instant},
      oldest_reported_at ${t.instant}, metadata ${t.json} NOT NULL,
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL, UNIQUE (project_id, engine, name)) ${t.options}`,

    // No reference to the queue: rows are deleted by age, long before their queue.
    `CREATE TABLE queue_depths (
      project_id ${t.uuid} NOT NULL, queue_id ${t.uuid} NOT NULL, cell_at ${t.instant} NOT NULL,
      pending_count ${t.int} NOT NULL, consumer_count ${t.int} NOT NULL,
      PRIMARY KEY (project_id, queue_id, cell_at)) ${t.options}`,
    "CREATE INDEX queue_depths_by_age ON queue_depths (cell_at)",
  ];
}
