import type { EventRecord, QueueHold, WorkerReport } from "@svc/protocol";
import type { Command, CommandOutcome } from "./commands/command.ts";
import type { SchedulerAdapter } from "./schedules/scheduler-adapter.ts";

export type { QueueHold };

/**
 * The interface between the agent and one engine. An adapter watches its engine and emits events to the sink. The agent redacts, buffers,
 * signs and sends them. There is one adapter per engine, and `name` is the engine of its events.
 */
export interface EngineAdapter {
  /** Adapter name, 1 to 40 characters of `[A-Za-z0-9_.-]`. Also the key in hello's `capabilities`. */
  readonly name: string;
  /** Capability tokens that the adapter supports as it is attached. Empty when it only watches. Those of `scheduler` are not among them. */
  capabilities(): readonly string[];
  /** The engine's own schedules, when the adapter mirrors them. */
  readonly scheduler?: SchedulerAdapter;
  /** Connects and starts to emit. Resolves when watching has started. Retries an unreachable engine and never throws for it. */
  start(context: AdapterContext): Promise<void>;
  /** Stops watching and closes every connection. Safe to call twice. */
  stop(): Promise<void>;
  /** Current depths, consumers and workers, for the heartbeat's adapter_health. The caller waits at most 5 s. */
  snapshot(): Promise<AdapterSnapshot>;
  /**
   * Current depth of a queue, for checking a purge. Undefined when the queue does not exist. Without this method the snapshot is used, which
   * may leave out queues that it or another process reports at other times.
   */
  depth?(queue: string): Promise<number | undefined>;
  /**
   * Executes a command, once per command id. Called only for actions whose capability token `capabilities` lists. Absent when the adapter
   * only watches. Actions in `idempotentActions` are executed again with the same key after the process ended (`schedule.fire`: its
   * fire_id; `schedule.trigger_now`: the command id): the repetition must have no further effect and return the same result. A thrown error becomes a failed result with its text, so texts are written for operators and contain no secret. A result
   * after `command.timeoutSeconds` is not sent. A purge with `command.confirmedDepth` never removes more tasks than that.
   */
  execute?(command: Command): Promise<CommandOutcome>;
}

/** An adapter that throws here has no capabilities. */
export function capabilitiesOf(engine: Pick<EngineAdapter, "capabilities">): string[] {
  try {
    return [...engine.capabilities()];
  } catch {
    return [];
  }
}

/** Capabilities by name of adapter, of engines and schedulers. An engine and a scheduler of the same name share a list. */
export function capabilitiesByName(engines: readonly EngineAdapter[]): Record<string, string[]> {
  const adapters = engines.flatMap((engine) =>
    engine.scheduler === undefined ? [engine] : [engine, engine.scheduler],
  );
  const byName: Record<string, string[]> = {};
  for (const adapter of adapters) byName[adapter.name] = [...(byName[adapter.name] ?? []), ...capabilitiesOf(adapter)];
  return byName;
}

/** Names of the schedulers of these engines, and of others that the agent's options name, each once. */
export function schedulerNames(engines: readonly EngineAdapter[], others: readonly string[]): string[] {
  return [...new Set([...engines.flatMap(({ scheduler }) => scheduler?.name ?? []), ...others])];
}

export interface AdapterContext {
  /** Identifies the brain and the agent: a digest of address and token, the same in every process of an agent. */
  readonly destination: string;
  readonly sink: EventSink;
  /** The adapter's positions. They are written with `EventSink.emit` only. */
  readonly cursors: CursorStore;
  readonly log: AgentLog;
}

export interface EventSink {
  /**
   * Adds events to the durable buffer, in order. `cursor` is stored in the same transaction, so after a crash no event is lost and no
   * position is ahead of its events. Never throws into the engine's hot path.
   */
  emit(events: readonly EventRecord[], cursor?: CursorUpdate): void;
  /** Resolves when more events can be added without blocking the host's thread. Wait for it while catching up. */
  ready(): Promise<void>;
  /** Counts event records that were lost before they reached the buffer (`adapter_events`). */
  lost(count: number, reason: string): void;
  /**
   * Tracks everything emitted so far. The returned function says whether all of it has left the buffer, acknowledged or counted as lost. A
   * position that is stored outside this process must not pass events that are still in the buffer.
   */
  follow(): () => boolean;
}

export interface CursorUpdate {
  readonly key: string;
  /** At most 64 KiB of text. An empty text deletes the key. */
  readonly value: string;
}

/**
 * Cursors of one adapter in this process's buffer. Each process of an application has its own buffer, so an adapter that moves between
 * processes stores its position in the engine, or tolerates reading some events twice.
 */
export interface CursorStore {
  /** The newest emitted value, otherwise the value that an earlier process stored. */
  get(key: string): string | undefined;
}

/** Values of adapter_health for one engine. */
export interface AdapterSnapshot {
  readonly queue_depths?: Readonly<Record<string, number>>;
  readonly queue_consumers?: Readonly<Record<string, number>>;
  /** When the oldest waiting task was queued (ISO 8601), by queue. */
  readonly queue_oldest?: Readonly<Record<string, string>>;
  /** Queues that start no tasks at the moment, and why. A queue in `queue_depths` without an entry here is not restricted. */
  readonly queue_holds?: Readonly<Record<string, QueueHold>>;
  readonly worker_details?: Readonly<Record<string, WorkerDetails>>;
}

export type WorkerDetails = WorkerReport;

export interface AgentLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
