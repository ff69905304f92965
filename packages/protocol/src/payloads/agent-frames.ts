import { type Static, type TObject, Type } from "typebox";
import { wireLimits } from "../frames/limits.ts";
import { checkOf, Int, JsonObject, nullable, type Readable, readerOf, Text, Texts } from "./checks.ts";

/**
 * Payloads that an agent sends: the type of each, and a lenient `read…` for the brain, which keeps the valid values.
 */
const count = Int(0, Number.MAX_SAFE_INTEGER);

const TelemetryLossSchema = Type.Object({
  buffer_id: Type.String({ minLength: 1, maxLength: 64 }),
  runtime_id: Type.String({ minLength: 1, maxLength: 64 }),
  capacity_evicted_frames: count,
  content_rejected_frames: count,
  event_records: count,
  command_results: count,
  other_frames: count,
  unclassified_frames: count,
  adapter_events: Type.Record(Type.String(), count, { maxProperties: 32 }),
});
/** Cumulative loss counters. Buffer counters belong to `buffer_id`, adapter counters to `runtime_id`. */
export type TelemetryLoss = Static<typeof TelemetryLossSchema>;

const EventBatchSchema = Type.Object({
  events: Type.Array(JsonObject, { maxItems: wireLimits.eventsPerBatch }),
  sealed_at: nullable(Type.String()),
});
export const checkEventBatch = checkOf(EventBatchSchema);

/** The content of an event_batch. Its `events` are not validated yet. */
export interface ReadBatch {
  readonly events: readonly unknown[];
  /** Number of entries beyond the maximum batch size. They count as received but are not read. */
  readonly beyondLimit: number;
  readonly sealedAt: string | null;
}

/** Reads an event_batch payload. Empty without an array of events. */
export function readEventBatch(payload: Record<string, unknown> | null): ReadBatch {
  const events = Array.isArray(payload?.events) ? (payload.events as unknown[]) : [];
  const sealedAt = typeof payload?.sealed_at === "string" ? payload.sealed_at : null;
  const limit = wireLimits.eventsPerBatch;
  if (events.length <= limit) return { events, beyondLimit: 0, sealedAt };
  return { events: events.slice(0, limit), beyondLimit: events.length - limit, sealedAt };
}

const largestTotal = 10_000_000;
const heartbeatMembers = {
  buffer_size: Int(0, largestTotal),
  last_flush_at: nullable(Type.String()),
  dropped_events: Int(0, largestTotal),
  telemetry_loss: nullable(TelemetryLossSchema),
  adapter_health: Type.Record(Type.String(), Type.String()),
};
export type HeartbeatPayload = Static<TObject<typeof heartbeatMembers>>;
const readScalars = readerOf({ ...heartbeatMembers, adapter_health: JsonObject });

export type ReadHeartbeat = Omit<Readable<typeof heartbeatMembers>, "adapter_health"> & {
  /** At most 256 entries with string values. Read them with `readAdapterHealth`. */
  adapter_health: Record<string, string>;
};

const adapterHealthKeys = 256;

/** Reads a heartbeat payload. A total of dropped events above the maximum is read as the maximum, because it still reports a loss. */
export function readHeartbeat(payload: Record<string, unknown> | null): ReadHeartbeat {
  const dropped = payload?.dropped_events;
  const isBeyond = typeof dropped === "number" && dropped > largestTotal;
  const { adapter_health: received = {}, ...rest } = readScalars(
    isBeyond ? { ...payload, dropped_events: largestTotal } : payload,
  );
  const texts = Object.entries(received).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return { ...rest, adapter_health: Object.fromEntries(texts.slice(0, adapterHealthKeys)) };
}

const agentStatusMembers = {
  telemetry_loss: nullable(TelemetryLossSchema),
  auth_failure_streak: Int(0, 1_000_000),
  protocol_failure_streak: Int(0, 1_000_000),
  connection_failure_streak: Int(0, 1_000_000),
  last_successful_connect_at: nullable(Type.String()),
  current_session_age_seconds: nullable(Type.Number({ minimum: 0, maximum: 315_360_000 })),
  buffer_depth: Int(0, 10_000_000),
  buffer_oldest_age_seconds: nullable(Type.Number({ minimum: 0 })),
  agent_version: Text(40),
  protocol_version: Text(10),
  engines: Texts(32),
  schedulers: Texts(32),
};
export type AgentStatusPayload = Static<TObject<typeof agentStatusMembers>>;
export const readAgentStatus = readerOf(agentStatusMembers);

const commandResultMembers = {
  status: Type.Union([Type.Literal("success"), Type.Literal("failed")]),
  result: nullable(JsonObject),
  error: nullable(Text(8_192)),
  /** Set on a failure after which the command may still have taken effect. */
  outcome: nullable(Type.Literal("unknown")),
  delivery_claim_token: nullable(Text(64)),
};
type CommandResultPayload = Static<TObject<typeof commandResultMembers>>;
const readResultMembers = readerOf(commandResultMembers);

/** Reads a command_result payload. Null without a valid `status`, a frame that the verifier has already dropped. */
export function readCommandResult(payload: Record<string, unknown> | null): CommandResultPayload | null {
  const { status, ...rest } = readResultMembers(payload);
  return status === undefined ? null : { status, ...rest };
}
