// Rows of the fleet: agents, their processes and samples, engine workers, queues.

/** An agent as last reported in its hello; a revoked agent keeps its row under another name. */
export interface AgentRow {
  /** Assigned when the agent is created. */
  id: string;
  /** The only project that it reports to. */
  project_id: string;
  /** Unique in the project. */
  name: string;
  /** Hex HMAC-SHA256 of the token under the master secret. */
  token_hash: string;
  /** online, offline, or unknown until it first connects or uploads. */
  state: string;
  /** ws or longpoll; null before the first connection. */
  transport: string | null;
  /** Version of the wire protocol. */
  protocol_version: string;
  /** Version of its software; null when not reported. */
  agent_version: string | null;
  /** How it runs, such as side-car. */
  framework_adapter: string;
  /** Name of its machine; null when not reported. */
  host_name: string | null;
  /** JSON array of engine names. */
  engine_adapters: string;
  /** JSON array of scheduler names. */
  scheduler_adapters: string;
  /** JSON object: capability tokens by engine. */
  capabilities: string;
  /** JSON array of capabilities of the agent's own program. */
  runtime_features: string;
  /** JSON object. */
  metadata: string;
  /** When it last sent frames. */
  last_seen_at: Date | null;
  /** When it last connected or polled. */
  last_connect_at: Date | null;
  /** When its token was revoked; null while it may connect. */
  revoked_at: Date | null;
  /** When an administrator created it. */
  created_at: Date;
  /** When the row was last written. */
  updated_at: Date;
}

/** A process of an agent. */
export interface AgentWorkerRow {
  id: string;
  agent_id: string;
  project_id: string;
  /** The name that the process reports; all processes of an agent without one share a row. */
  worker_id: string | null;
  role: string | null;
  framework: string | null;
  pid: number | null;
  started_at: Date | null;
  /** online or offline. */
  state: string;
  /** JSON object: capability tokens by engine, from the hello of its current or last connection. */
  capabilities: string;
  last_seen_at: Date | null;
  last_connect_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** A status sample of an agent; only the newest are kept. */
export interface AgentStatusRow {
  id: number;
  project_id: string;
  agent_id: string;
  captured_at: Date;
  /** JSON object of the sample. */
  payload: string;
}

/** The loss counters that an agent last reported; one row per buffer or runtime that counts. */
export interface LossMarkRow {
  agent_id: string;
  scope: string;
  /** JSON object of counters. */
  counters: string;
  /** When they were last reported, accurate to a few minutes. */
  seen_at: Date;
}

/** Events that an agent lost between two reports. */
export interface LossIntervalRow {
  id: string;
  project_id: string;
  agent_id: string;
  /** capacity, content, adapter or unknown. */
  reason: string;
  from_at: Date;
  to_at: Date;
  event_records: number;
  other_frames: number;
}

/** A worker of an engine, as its agent reported it. */
export interface WorkerRow {
  /** Assigned when the worker is first seen. */
  id: string;
  /** The project of the agent that reported it. */
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** As the engine names it; unique in project and engine. */
  name: string;
  /** Machine that it runs on. */
  hostname: string | null;
  /** Id of its process on that machine. */
  pid: number | null;
  /** Tasks that it can run at once. */
  concurrency: number | null;
  /** JSON array of queue names. */
  queues: string;
  /** online or offline. */
  state: string;
  /** (occurred_at ms, event id) of the last worker.online or worker.offline, as sortable text. */
  state_key: string | null;
  /** The time in state_key; only later activity brings the worker online. */
  state_at: Date | null;
  /** Time of its newest report or event. */
  last_heartbeat: Date | null;
  /** Load of its machine. */
  load_average: number | null;
  /** Memory in use, in bytes. */
  memory_bytes: number | null;
  /** Tasks that it was running at its last report. */
  active_tasks: number;
  /** JSON object {stats, active, active_queues, registered, conf}. */
  metadata: string;
  /** When the current details were reported; older reports are ignored. */
  details_at: Date | null;
  /** When it was first seen. */
  created_at: Date;
  /** When the row was last written. */
  updated_at: Date;
}

/** A queue of an engine, with its latest depth. */
export interface QueueRow {
  /** Assigned when the queue is first seen. */
  id: string;
  /** The project of the agent that reported it. */
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** As the engine names it; unique in project and engine. */
  name: string;
  /** Reserved for the kind of broker; always null. */
  broker_type: string | null;
  /** Reserved for the address of the broker; always null. */
  broker_url_hint: string | null;
  /** Time of the newest report or event that mentions it. */
  last_seen_at: Date | null;
  /** Waiting tasks. */
  pending_count: number;
  /** Consumers of the queue. */
  consumer_count: number;
  /** When its oldest waiting task started to wait; null when none is waiting. */
  oldest_waiting_since: Date | null;
  /** When pending_count was reported; older reports are ignored. */
  depth_reported_at: Date | null;
  /** When consumer_count was reported. */
  consumers_reported_at: Date | null;
  /** When oldest_waiting_since was reported. */
  oldest_reported_at: Date | null;
  /** JSON object: `paused` and `paused_since`, or `limited_until`; empty unless something keeps the queue from starting tasks. */
  metadata: string;
  /** When it was first seen. */
  created_at: Date;
  /** When the row was last written. */
  updated_at: Date;
}

/** The depth of a queue in a two-minute interval, for charts of the last day. */
export interface QueueDepthRow {
  project_id: string;
  queue_id: string;
  /** Start of the interval. */
  cell_at: Date;
  /** The highest value reported in the interval. */
  pending_count: number;
  /** As last reported. */
  consumer_count: number;
}
