import type { AgentStatusSample } from "@svc/client";

export interface SampleLine {
  key: string;
  label: string;
  /** Oldest first; null where a sample has no value. */
  values: (number | null)[];
  unit: "count" | "seconds";
}

const lines = [
  ["buffer_depth", "In buffer", "count"],
  ["buffer_oldest_age_seconds", "Oldest in buffer", "seconds"],
  ["connection_failure_streak", "Failed connections in a row", "count"],
] as const;

/** One series per value other than losses. `samples` are newest first, as the API lists them. */
export function sampleLines(samples: readonly AgentStatusSample[]): SampleLine[] {
  return lines.map(([key, label, unit]) => ({
    key,
    label,
    unit,
    values: samples.map(({ payload }) => (typeof payload[key] === "number" ? payload[key] : null)).reverse(),
  }));
}

export interface SeenSession {
  /** When the connection was made, derived from the ages in samples. */
  startedMs: number;
  /** Time of its last sample. */
  lastMs: number;
  /** Failed attempts in a row just before it; null if not reported. */
  failedBefore: number | null;
}

/** The derived starts of one session may differ by this much: ages are whole seconds, and samples are delayed. */
const slackMs = 5000;

/**
 * The connections seen in the samples, newest first. Each sample has the age of its session and usually its start; samples without an age
 * are ignored. `samples` are newest first.
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
      const connectedAt = payload.last_successful_connect_at ?? null;
      const last = sessions.at(-1);
      const isSame =
        connectedAt !== null && madeAt !== null
          ? connectedAt === madeAt
          : last !== undefined && Math.abs(last.startedMs - startedMs) <= slackMs;
      if (last !== undefined && isSame) last.lastMs = at;
      else sessions.push({ startedMs, lastMs: at, failedBefore: failed });
      madeAt = connectedAt;
    }
    failed = payload.connection_failure_streak ?? null;
  }
  return sessions.reverse();
}
