import {
  type Frame,
  type FrameType,
  isJsonObject,
  type ReadHeartbeat,
  readEventBatch,
  readHeartbeat,
  readInstant,
  wireLimits,
} from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import { isTransient } from "../../platform/database/errors.ts";
import { retryTransient } from "../../platform/database/transactions/retry-transient.ts";
import { minutes } from "../../platform/durations.ts";
import type { Log } from "../../platform/log.ts";
import { createThrottledLog } from "../../platform/throttled-log.ts";
import type { AgentIdentity } from "../agents/index.ts";
import type { IngestBatch, IngestOutcome } from "../ingest/index.ts";
import type { AgentLine, AgentLogs } from "./agent-logs.ts";

/** What became of one verified frame (spec part 3, section 1.10). */
export type FrameOutcome =
  | { readonly kind: "confirmed"; readonly batch?: IngestOutcome }
  /** `isUnstored`: events that the database may take when it is back, and for whose ack the agent waits. */
  | { readonly kind: "transient"; readonly message: string; readonly isUnstored?: boolean }
  | { readonly kind: "revoked" };

/** What outlives one frame: a WebSocket connection or one long-poll upload. */
export interface FrameSource {
  readonly identity: AgentIdentity;
  /** The process that speaks; null for agents that name none, undefined no process at all (long-poll). */
  readonly workerId: string | null | undefined;
  readonly transport: "ws" | "longpoll";
  /** Status samples of this source are stored up to 12 a minute. */
  readonly samples: SampleLimiter;
  readonly lossWarnings: LossWarnings;
}

export interface DispatchDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly agentLogs: Pick<AgentLogs, "registryDelta" | "agentError" | "wrongDirection">;
  ingest(batch: IngestBatch): Promise<IngestOutcome>;
  /** Notes contact; false when the agent is revoked. */
  seen(identity: AgentIdentity, workerId: string | null | undefined, at: Date): Promise<boolean>;
  /** Notes contact of an agent that is online. Must not throw. */
  touched(identity: AgentIdentity, at: Date): void;
  recordSample(identity: AgentIdentity, capturedAt: Date, payload: Record<string, unknown>): Promise<void>;
  /** Notes what an agent says it has lost so far; must not throw. */
  lossReported(identity: AgentIdentity, at: Date, loss: ReadHeartbeat["telemetry_loss"]): void;
  applyHealth(projectId: string, frameTs: Date, health: Record<string, unknown>): void;
  commandAcked(identity: AgentIdentity, commandId: string, payload: Record<string, unknown>): Promise<void>;
  commandResulted(identity: AgentIdentity, commandId: string, payload: Record<string, unknown>): Promise<void>;
}

/**
 * Does what a verified frame says. Never throws. A batch that ingest could not take is a transient outcome, so that the agent sends it
 * again; any other frame that fails for good is dropped and confirmed (1.10 rule 1), because it would fail for ever.
 */
export function createDispatch(deps: DispatchDeps) {
  const { log, agentLogs } = deps;

  async function storeRecord(store: () => Promise<void>): Promise<FrameOutcome> {
    await store();
    return { kind: "confirmed" };
  }

  // Not async, and so is everything on this way: a function that waits keeps its parameters alive, here a whole parsed frame.
  function eventBatch(source: FrameSource, frame: Frame, text: string): Promise<FrameOutcome> {
    const { events, sealedAt, beyondLimit } = readEventBatch(frame.payload);
    const storing = deps.ingest({
      projectId: source.identity.project_id,
      agentId: source.identity.agent_id,
      frameTs: frame.ts ?? "",
      ...(sealedAt !== null && { sealedAt }),
      events,
      text,
    });
    const { identity } = source;
    return storing.then((batch) => {
      // Its process is heard of by heartbeats alone.
      deps.touched(identity, deps.clock.now());
      return { kind: "confirmed", batch: withLost(batch, beyondLimit) };
    });
  }

  function withLost(batch: IngestOutcome, beyondLimit: number): IngestOutcome {
    if (beyondLimit === 0) return batch;
    const { received, inserted, rejected, errors } = batch;
    const lost = `${beyondLimit} events beyond the limit of ${wireLimits.eventsPerBatch} were dropped`;
    return {
      received: received + beyondLimit,
      inserted,
      rejected: rejected + beyondLimit,
      errors: [lost, ...errors],
    };
  }

  async function heartbeat(source: FrameSource, frame: Frame): Promise<FrameOutcome> {
    const { identity } = source;
    const isKnown = await deps.seen(identity, source.workerId, deps.clock.now());
    if (!isKnown) return { kind: "revoked" };
    // Before what adapters say of their engines: a report of losses must not depend on it.
    const beat = readHeartbeat(frame.payload);
    source.lossWarnings.look(beat, identity);
    deps.lossReported(identity, timeOf(frame), beat.telemetry_loss);
    const health = frame.payload?.adapter_health;
    if (isJsonObject(health)) deps.applyHealth(identity.project_id, timeOf(frame), health);
    return { kind: "confirmed" };
  }

  /** The frame's own time, which the replay guard has read. */
  const timeOf = ({ ts }: Frame): Date => {
    const sentAtMs = ts === null ? null : readInstant(ts, { zone: "required" });
    return sentAtMs === null ? deps.clock.now() : new Date(sentAtMs);
  };

  async function agentStatus(source: FrameSource, frame: Frame): Promise<FrameOutcome> {
    if (!source.samples.admit()) return { kind: "confirmed" };
    return storeRecord(() => deps.recordSample(source.identity, timeOf(frame), frame.payload ?? {}));
  }

  async function handle(source: FrameSource, frame: Frame, text: string): Promise<FrameOutcome> {
    switch (frame.type) {
      case "event_batch":
        return eventBatch(source, frame, text);
      case "heartbeat":
        return heartbeat(source, frame);
      case "agent_status":
        return agentStatus(source, frame);
      case "command_ack":
        return storeRecord(() =>
          retryTransient(() => deps.commandAcked(source.identity, frame.id, frame.payload ?? {})),
        );
      case "command_result":
        return storeRecord(() =>
          retryTransient(() => deps.commandResulted(source.identity, frame.id, frame.payload ?? {})),
        );
      case "registry_delta":
        agentLogs.registryDelta(source.identity.agent_id);
        return { kind: "confirmed" };
      case "error":
        agentLogs.agentError(source.identity.agent_id, { code: wordOf(frame.payload?.code) });
        return { kind: "confirmed" };
      default:
        agentLogs.wrongDirection(source.identity.agent_id, { type: frame.type });
        return { kind: "confirmed" };
    }
  }

  const throttled = (say: Parameters<typeof createThrottledLog>[1]) => createThrottledLog(deps.clock, say);
  const notStored = throttled((frames, about) => log.warn("agent_transport.frames_not_stored", { frames, ...about }));
  const dropped = throttled((frames, about) => log.error("agent_transport.frames_dropped", { frames, ...about }));
  const batchFailed = throttled((frames, about) => log.error("agent_transport.batches_failed", { frames, ...about }));

  function failed(agentId: string, type: FrameType, error: unknown): FrameOutcome {
    const message = error instanceof Error ? error.message : String(error);
    if (isTransient(error)) {
      notStored({ message });
      return { kind: "transient", message: "the database is not available", isUnstored: type === "event_batch" };
    }
    const about = { agent_id: agentId, type, message };
    if (type === "event_batch") {
      // Ingest drops what cannot be stored by itself: what fails here is the brain's own fault, and events are not lost for it.
      batchFailed(about);
      return { kind: "transient", message: "the frame could not be handled" };
    }
    dropped(about);
    return { kind: "confirmed" };
  }

  return function dispatch(source: FrameSource, frame: Frame, text: string): Promise<FrameOutcome> {
    const { type } = frame;
    const agentId = source.identity.agent_id;
    return handle(source, frame, text).catch((error: unknown) => failed(agentId, type, error));
  };
}

export type Dispatch = ReturnType<typeof createDispatch>;

const wordOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, 80) : "");

const samplesPerMinute = 12;

export function createSampleLimiter(clock: Pick<Clock, "monotonicMs">) {
  let windowStartMs = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return {
    /** Whether one more sample may be stored in the present minute. */
    admit() {
      const nowMs = clock.monotonicMs();
      if (nowMs - windowStartMs >= minutes(1)) {
        windowStartMs = nowMs;
        taken = 0;
      }
      taken += 1;
      return taken <= samplesPerMinute;
    },
  };
}

type SampleLimiter = ReturnType<typeof createSampleLimiter>;

export function createLossWarnings(clock: Pick<Clock, "monotonicMs">, eventsLost: AgentLine) {
  let lastReport = "";
  let warnedMs = Number.NEGATIVE_INFINITY;
  return {
    /** Logs a positive loss report, once a minute while its counters change. */
    look({ dropped_events = 0, telemetry_loss }: ReadHeartbeat, identity: AgentIdentity) {
      // Without the names and ids, which are as long as the sender likes.
      const { buffer_id, runtime_id, adapter_events = {}, ...frames } = telemetry_loss ?? {};
      const ofAdapters = Object.values(adapter_events);
      const counters = { dropped_events, ...frames, adapter_events: ofAdapters.reduce((sum, count) => sum + count, 0) };
      if (Object.values(counters).every((count) => count === 0)) return;
      const report = [...Object.values(counters), ...ofAdapters].join();
      const nowMs = clock.monotonicMs();
      if (report === lastReport || nowMs - warnedMs < minutes(1)) return;
      // Held back while another process of the agent has had the line, or an earlier connection.
      if (!eventsLost(identity.agent_id, { project_id: identity.project_id, ...counters })) return;
      lastReport = report;
      warnedMs = nowMs;
    },
  };
}

export type LossWarnings = ReturnType<typeof createLossWarnings>;
