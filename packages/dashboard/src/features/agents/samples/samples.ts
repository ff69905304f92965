import type { AgentStatusSample } from "@svc/client";

export interface SampleLine {
  key: string;
  label: string;
  /** Oldest first; null where a sample does not tell. */
  values: (number | null)[];
  unit: "count" | "seconds";
}

const lines = [
  ["buffer_depth", "In buffer", "count"],
  ["buffer_oldest_age_seconds", "Oldest in buffer", "seconds"],
  ["connection_failure_streak", "Failed connections in a row", "count"],
] as const;

/** What the samples say beside losses, one series each. `samples` are newest first, as the API lists them. */
export function sampleLines(samples: readonly AgentStatusSample[]): SampleLine[] {
  return lines.map(([key, label, unit]) => ({
    key,
    label,
    unit,
    values: samples.map(({ payload }) => (typeof payload[key] === "number" ? payload[key] : null)).reverse(),
  }));
}

export interface SeenSession {
  /** When the connection was made, told by the samples' own ages. */
  startedMs: number;
  /** The last sample that belongs to it. */
  lastMs: number;
  /** Failed attempts in a row just before it, as far as a sample told. */
  failedBefore: number | null;
}

/** Two samples of one session may tell starts that differ by this much: ages are whole seconds, and travel takes time. */
const slackMs = 5000;

/**
 * The connections that the samples tell of, newest first: each sample says how old its session was, and mostly when it was made. Samples
 * without an age are left out. `samples` are newest first.
 */
export function seenSessions(samples: readonly AgentStatusSample[]): SeenSession[] {
  const sessions: SeenSession[] = [];
  let failed: number | null = null;
  let madeAt: string | null = null;
  for (const { captured_at, payload } of samples.toReversed()) {
    const at = Date.parse(captured_at);
    const ageSeconds = payload.current_session_age_seconds;
    if (typeof ageSeconds === "number") {
      const startedMs = at - ageSeconds * 1000;
      const told = payload.last_successful_connect_at ?? null;
      const last = sessions.at(-1);
      const isSame =
        told !== null && madeAt !== null
          ? told === madeAt
          : last !== undefined && Math.abs(last.startedMs - startedMs) <= slackMs;
      if (last !== undefined && isSame) last.lastMs = at;
      else sessions.push({ startedMs, lastMs: at, failedBefore: failed });
      madeAt = told;
    }
    failed = payload.connection_failure_streak ?? null;
  }
  return sessions.reverse();
}
