import type { AgentStatusSample, TelemetryLoss } from "@svc/client";

/** The four counters of discarded items. They are disjoint but of different kinds, so they are never added up. */
export const lossKinds = [
  ["event_records", "Event records"],
  ["command_results", "Command results"],
  ["other_frames", "Other frames"],
  ["unclassified_frames", "Unclassified frames"],
] as const satisfies readonly (readonly [keyof TelemetryLoss, string])[];

/** The reasons for discarding. They count the same losses as the four above. */
export const lossReasons = [
  ["capacity_evicted_frames", "Buffer full"],
  ["content_rejected_frames", "Refused content"],
] as const satisfies readonly (readonly [keyof TelemetryLoss, string])[];

type Counter = (typeof lossKinds | typeof lossReasons)[number][0];

export interface LossSeries {
  /** The losses between samples, oldest first. */
  steps: number[];
  total: number;
}

/**
 * The increases of a cumulative counter between successive samples. A counter that falls was restarted, so its value is the
 * loss since then. `samples` are newest first, as the API lists them.
 */
export function lossSeries(samples: readonly AgentStatusSample[], counter: Counter): LossSeries {
  const values = samples.map((sample) => sample.payload.telemetry_loss?.[counter] ?? 0).reverse();
  const steps = values.slice(1).map((value, at) => {
    const before = values[at] ?? 0;
    return value >= before ? value - before : value;
  });
  return { steps, total: steps.reduce((sum, step) => sum + step, 0) };
}

/** The last reported cumulative value. */
export function lossNow(samples: readonly AgentStatusSample[], counter: Counter): number {
  return samples[0]?.payload.telemetry_loss?.[counter] ?? 0;
}

/** Event records that adapters lost before the buffer, as last reported; only adapters with losses, greatest first. */
export function adapterLosses(samples: readonly AgentStatusSample[]): { adapter: string; events: number }[] {
  return Object.entries(samples[0]?.payload.telemetry_loss?.adapter_events ?? {})
    .filter(([, events]) => events > 0)
    .map(([adapter, events]) => ({ adapter, events }))
    .sort((a, b) => b.events - a.events);
}
