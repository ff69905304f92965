import { type HeartbeatPayload, protocolVersion, type TelemetryLoss } from "@svc/protocol";
import { schedulerNames } from "../adapter.ts";
import type { DurableBuffer } from "../buffer/buffer.ts";
import type { Intake } from "../events/intake.ts";
import type { AgentSettings } from "../options/options.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ConnectionFacts } from "../transport/connection.ts";
import { agentVersion } from "../version.ts";
import type { AdapterHealth } from "./health.ts";

export interface VitalsDependencies {
  readonly settings: Pick<AgentSettings, "engines" | "schedulers">;
  readonly runtimeId: string;
  readonly buffer: DurableBuffer;
  readonly intake: Intake;
  readonly health: AdapterHealth;
  readonly clock: Clock;
}

const maxCount = 10_000_000;
const maxStreak = 1_000_000;
const maxSchedulers = 32;
const maxSessionSeconds = 315_360_000;

/** Cumulative loss counters: the buffer's by `buffer_id`, the adapters' since this process started. */
export function telemetryLoss(
  dependencies: Pick<VitalsDependencies, "buffer" | "intake" | "runtimeId">,
): TelemetryLoss {
  return {
    ...dependencies.buffer.loss,
    buffer_id: dependencies.buffer.bufferId,
    runtime_id: dependencies.runtimeId,
    adapter_events: Object.fromEntries(dependencies.intake.adapterLoss),
  };
}

/** Payload of a heartbeat. @param maxHealthBytes limit for adapter_health. */
export async function heartbeatPayload(
  dependencies: VitalsDependencies,
  facts: ConnectionFacts,
  maxHealthBytes: number,
): Promise<HeartbeatPayload> {
  const adapterHealth = await dependencies.health.collect(maxHealthBytes);
  const loss = telemetryLoss(dependencies);
  const adapterLost = Object.values(loss.adapter_events).reduce((sum, count) => sum + count, 0);
  return {
    buffer_size: Math.min(dependencies.buffer.depth, maxCount),
    last_flush_at: instantOrNull(facts.lastFlushMs),
    dropped_events: Math.min(loss.event_records + adapterLost, maxCount),
    telemetry_loss: loss,
    adapter_health: adapterHealth,
  };
}

/** Payload of an agent_status. */
export function statusPayload(dependencies: VitalsDependencies, facts: ConnectionFacts): Record<string, unknown> {
  const { buffer, settings } = dependencies;
  return {
    telemetry_loss: telemetryLoss(dependencies),
    auth_failure_streak: Math.min(facts.authFailures, maxStreak),
    protocol_failure_streak: Math.min(facts.protocolFailures, maxStreak),
    connection_failure_streak: Math.min(facts.connectionFailures, maxStreak),
    last_successful_connect_at: instantOrNull(facts.lastConnectMs),
    current_session_age_seconds:
      facts.sessionAgeSeconds === undefined ? null : Math.min(facts.sessionAgeSeconds, maxSessionSeconds),
    buffer_depth: Math.min(buffer.depth, maxCount),
    buffer_oldest_age_seconds: buffer.oldestAgeSeconds() ?? null,
    agent_version: agentVersion,
    protocol_version: protocolVersion,
    engines: settings.engines.map(({ name }) => name),
    schedulers: schedulerNames(settings.engines, settings.schedulers).slice(0, maxSchedulers),
  };
}

function instantOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
