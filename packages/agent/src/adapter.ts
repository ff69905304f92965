import type { EventRecord, QueueHold, WorkerReport } from "@svc/protocol";
import type { Command, CommandOutcome } from "./commands/command.ts";

export type { QueueHold };

/**
 * The wall between the agent and one engine. An adapter watches its engine and hands lifecycle events to the sink; the agent
 * redacts, buffers, signs and sends them. One adapter instance per engine; `name` is the engine string of every event.
 */
export interface EngineAdapter {
  /** Adapter name, 1 to 40 characters of `[A-Za-z0-9_.-]`; also the key in hello's `capabilities`. */
  readonly name: string;
  /** Capability tokens this attached mode can honour (spec part 3, section 1.13); empty when it only watches. */
  capabilities(): readonly string[];
  /** Connects and begins to emit. Resolves when watching has begun; an unreachable engine is retried inside, never thrown. */
  start(context: AdapterContext): Promise<void>;
  /** Stops watching and closes every connection. Safe to call twice. */
  stop(): Promise<void>;
  /** Present depths, consumers and workers, for the heartbeat's adapter_health. Bounded by the caller to 5 s. */
  snapshot(): Promise<AdapterSnapshot>;
  /**
   * Present depth of one queue, to check a purge against; undefined when there is no such queue. Absent: the snapshot's is taken, which
   * may leave out queues that it tells of another time or that another process tells of.
   */
  depth?(queue: string): Promise<number | undefined>;
  /**
   * Carries a command out, once per command id. Called only for actions whose capability token `capabilities` lists; absent when the
   * adapter only watches. What it throws becomes a failed result with that text, so texts are for operators and hold no secret. It may
   * take `command.timeoutSeconds`; what it answers later is not sent. A purge with `command.confirmedDepth` never removes more than that,
   * whatever has arrived since.
   */
  execute?(command: Command): Promise<CommandOutcome>;
}

/** An adapter that throws here can do nothing. */
export function capabilitiesOf(engine: EngineAdapter): string[] {
  try {
    return [...engine.capabilities()];
  } catch {
    return [];
  }
}

export interface AdapterContext {
  /** Where events go and as whom: a digest of the brain's address and the agent's token, the same in every process of one agent. */
  readonly destination: string;
  readonly sink: EventSink;
  /** Where the adapter left off; values written through `EventSink.emit` only. */
  readonly cursors: CursorStore;
  readonly log: AgentLog;
}

export interface EventSink {
  /**
   * Takes events into the durable buffer, in order. `cursor` is stored in the same transaction, so that after a crash neither an
   * event is lost nor a position runs ahead. Never throws into the engine's hot path.
   */
  emit(events: readonly EventRecord[], cursor?: CursorUpdate): void;
  /** Resolves when more events can be taken without holding up the host's thread; to wait for while catching up. */
  ready(): Promise<void>;
  /** Counts event records that the adapter knows were lost before they reached the buffer (`adapter_events`). */
  lost(count: number, reason: string): void;
  /**
   * Follows everything emitted so far; the function given says whether all of it has left the buffer, as acknowledged or as counted
   * loss. For a position that is kept outside of this process: behind what the buffer still holds, nobody else may begin.
   */
  follow(): () => boolean;
}

export interface CursorUpdate {
  readonly key: string;
  /** At most 64 KiB of text; an empty one forgets the key. */
  readonly value: string;
}

/**
 * Cursors of one adapter in this process's buffer. Several processes of one application have one buffer each, so an adapter that
 * changes hands between processes keeps its position in the engine, or is ready to read some events twice.
 */
export interface CursorStore {
  /** The newest emitted value, else the one that an earlier process left. */
  get(key: string): string | undefined;
}

/** Values of adapter_health for one engine (spec part 3, section 1.8). */
export interface AdapterSnapshot {
  readonly queue_depths?: Readonly<Record<string, number>>;
  readonly queue_consumers?: Readonly<Record<string, number>>;
  /** Enqueued instant (ISO 8601) of the oldest waiting task by queue. */
  readonly queue_oldest?: Readonly<Record<string, string>>;
  /** Queues that start nothing, whoever consumes them, and why; read together with `queue_depths`, where one without an entry is open. */
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
