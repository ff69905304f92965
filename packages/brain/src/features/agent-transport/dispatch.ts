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
import { SchedulerUpgradeRequired } from "../native-schedules/index.ts";
import type { AgentLine, AgentLogs } from "./agent-logs.ts";

/** The outcome of one verified frame. */
export type FrameOutcome =
  | { readonly kind: "confirmed"; readonly batch?: IngestOutcome }
  /** `isUnstored`: the database may accept the frame later, and the agent waits for a confirmation. */
  | { readonly kind: "transient"; readonly message: string; readonly isUnstored?: boolean }
  /** The batch has schedule events of an adapter that is too old; its sender removes them and sends the rest again. */
  | { readonly kind: "upgrade_required"; readonly message: string }
  | { readonly kind: "revoked" };

/** State shared by several frames: of a WebSocket connection or one long-poll upload. */
export interface FrameSource {
  readonly identity: AgentIdentity;
  /** The sending process; null for agents that name none, undefined without a process (long-poll). */
  readonly workerId: string | null | undefined;
  readonly transport: "ws" | "longpoll";
  /** Limits the stored status samples of this source to 12 a minute. */
  readonly samples: SampleLimiter;
  readonly lossWarnings: LossWarnings;
}

export interface DispatchDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly agentLogs: Pick<AgentLogs, "registryDelta" | "agentError" | "wrongDirection" | "upgradeRequired">;
  ingest(batch: IngestBatch): Promise<IngestOutcome>;
  /** Records contact; false when the agent is revoked. */
  seen(identity: AgentIdentity, workerId: string | null | undefined, at: Date): Promise<boolean>;
  /** Records contact of an online agent; must not throw. */
  touched(identity: AgentIdentity, at: Date): void;
  recordSample(identity: AgentIdentity, capturedAt: Date, payload: Record<string, unknown>): Promise<void>;
  /** Records the losses that an agent reports; must not throw. */
  lossReported(identity: AgentIdentity, at: Date, loss: ReadHeartbeat["telemetry_loss"]): void;
  applyHealth(projectId: string, frameTs: Date, health: Record<string, unknown>): void;
  commandAcked(identity: AgentIdentity, commandId: string, payload: Record<string, unknown>): Promise<void>;
  commandResulted(identity: AgentIdentity, commandId: string, payload: Record<string, unknown>): Promise<void>;
}

/**
 * Applies a verified frame. Never throws. A batch that ingest could not store is a transient outcome, so that the agent sends it again;
 * any other frame that fails permanently is dropped and confirmed, because it would fail again each time.
 */
export function createDispatch(deps: DispatchDeps) {
  const { log, agentLogs } = deps;

  async function storeRecord(store: () => Promise<void>): Promise<FrameOutcome> {
    await store();
    return { kind: "confirmed" };
  }

  // Nothing on this path is async: a suspended function keeps its parameters alive, here a whole parsed frame.
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
      // Only heartbeats update its process.
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
    // Processed before the health of the engines, so that a report of losses does not depend on it.
    const beat = readHeartbeat(frame.payload);
    source.lossWarnings.check(beat, identity);
    deps.lossReported(identity, timeOf(frame), beat.telemetry_loss);
    const health = frame.payload?.adapter_health;
    if (isJsonObject(health)) deps.applyHealth(identity.project_id, timeOf(frame), health);
    return { kind: "confirmed" };
  }

  /** The frame's own time, already checked by the replay guard. */
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
    if (error instanceof SchedulerUpgradeRequired) {
      agentLogs.upgradeRequired(agentId, { message });
      return { kind: "upgrade_required", message };
    }
    if (isTransient(error)) {
      notStored({ message });
      return { kind: "transient", message: "the database is not available", isUnstored: isConfirmed(type) };
    }
    const about = { agent_id: agentId, type, message };
    if (type === "event_batch") {
      // Ingest drops events that cannot be stored. A failure here is the brain's own, and no events are lost because of it.
      batchFailed(about);
      return { kind: "transient", message: "could not process the frame" };
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

/** Whether the agent keeps a frame until it is confirmed. */
const isConfirmed = (type: FrameType) => type === "event_batch" || isReply(type);

/** Replies to commands are confirmed by the pong of a later ping. */
export const isReply = (type: FrameType) => type === "command_ack" || type === "command_result";

export type Dispatch = ReturnType<typeof createDispatch>;

const wordOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, 80) : "");

const samplesPerMinute = 12;

export function createSampleLimiter(clock: Pick<Clock, "monotonicMs">) {
  let windowStartMs = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return {
    /** Whether one more sample may be stored in the current minute. */
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
    check({ dropped_events = 0, telemetry_loss }: ReadHeartbeat, identity: AgentIdentity) {
      // Without the names and ids, because their length is up to the sender.
      const { buffer_id, runtime_id, adapter_events = {}, ...frames } = telemetry_loss ?? {};
      const ofAdapters = Object.values(adapter_events);
      const counters = { dropped_events, ...frames, adapter_events: ofAdapters.reduce((sum, count) => sum + count, 0) };
      if (Object.values(counters).every((count) => count === 0)) return;
      const report = [...Object.values(counters), ...ofAdapters].join();
      const nowMs = clock.monotonicMs();
      if (report === lastReport || nowMs - warnedMs < minutes(1)) return;
      // Skipped while another process of the agent, or an earlier connection, has used the log line.
      if (!eventsLost(identity.agent_id, { project_id: identity.project_id, ...counters })) return;
      lastReport = report;
      warnedMs = nowMs;
    },
  };
}

export type LossWarnings = ReturnType<typeof createLossWarnings>;
