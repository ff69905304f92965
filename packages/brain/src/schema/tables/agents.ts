// Rows of the fleet: agents, their processes and samples, engine workers, queues.

/** An agent with what its last hello reported; a revoked one keeps its row under another name. */
export interface AgentRow {
  /** Given when the agent is created. */
  id: string;
  /** The only project that it reports to. */
  project_id: string;
  /** Unique in the project. */
  name: string;
  /** Hex HMAC-SHA256 of the token under the master. */
  token_hash: string;
  /** online or offline. */
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
  /** JSON array of what the agent's own program can do. */
  runtime_features: string;
  /** JSON object. */
  metadata: string;
  /** When it last sent frames. */
  last_seen_at: Date | null;
  /** When it last connected or polled. */
  last_connect_at: Date | null;
  /** From then on its token is refused; null while it may connect. */
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
  /** The name that the process gives itself; all processes without one share a row. */
  worker_id: string | null;
  role: string | null;
  framework: string | null;
  pid: number | null;
  started_at: Date | null;
  /** online or offline. */
  state: string;
  /** JSON object: capability tokens by engine, as the hello of its present or last connection told. */
  capabilities: string;
  last_seen_at: Date | null;
  last_connect_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** A status sample of an agent; the newest ones are kept. */
export interface AgentStatusRow {
  id: number;
  project_id: string;
  agent_id: string;
  captured_at: Date;
  /** JSON object of the sample. */
  payload: string;
}

/** The loss counters that an agent last told, by the buffer or runtime that counts them. */
export interface LossMarkRow {
  agent_id: string;
  scope: string;
  /** JSON object of counters. */
  counters: string;
  /** When they were last told, to within a few minutes. */
  seen_at: Date;
}

/** What an agent lost between two reports. */
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

/** An engine's own worker. */
export interface WorkerRow {
  /** Given when the worker is first seen. */
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
  /** The time in state_key: a touch must be later to bring the worker online. */
  state_at: Date | null;
  /** Time of the newest report or event from it. */
  last_heartbeat: Date | null;
  /** Load of its machine. */
  load_average: number | null;
  /** Memory that it uses. */
  memory_bytes: number | null;
  /** Tasks that it was running at its last report. */
  active_tasks: number;
  /** JSON object {stats, active, active_queues, registered, conf}. */
  metadata: string;
  /** When the newest applied details were reported; older ones change nothing. */
  details_at: Date | null;
  /** When it was first seen. */
  created_at: Date;
  /** When the row was last written. */
  updated_at: Date;
}

/** A queue of an engine with its newest depths. */
export interface QueueRow {
  /** Given when the queue is first seen. */
  id: string;
  /** The project of the agent that reported it. */
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** As the engine names it; unique in project and engine. */
  name: string;
  /** Reserved for the kind of broker; null. */
  broker_type: string | null;
  /** Reserved for the address of the broker; null. */
  broker_url_hint: string | null;
  /** Time of the newest report or event that names it. */
  last_seen_at: Date | null;
  /** Tasks that wait in it. */
  pending_count: number;
  /** Workers that take tasks from it. */
  consumer_count: number;
  /** Since when its oldest task waits; null when none does. */
  oldest_waiting_since: Date | null;
  /** When the newest applied report of pending_count was made; an older report changes nothing. */
  depth_reported_at: Date | null;
  /** The same of consumer_count. */
  consumers_reported_at: Date | null;
  /** The same of oldest_waiting_since. */
  oldest_reported_at: Date | null;
  /** JSON object: since when the queue is paused or limited. */
  metadata: string;
  /** When it was first seen. */
  created_at: Date;
  /** When the row was last written. */
  updated_at: Date;
}

/** The depth of a queue within two minutes: what charts of the last day are drawn from. */
export interface QueueDepthRow {
  project_id: string;
  queue_id: string;
  /** Start of the two minutes. */
  cell_at: Date;
  /** The greatest that was reported in them. */
  pending_count: number;
  /** As last reported. */
  consumer_count: number;
}
