import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { createThrottledLogPerSource } from "../../platform/throttled-log.ts";

/** Writes a line about an agent, or counts it for the next line; returns whether it wrote. */
export type AgentLine = (agentId: string, about?: Record<string, unknown>) => boolean;

/** Log lines that an agent can cause with every frame, upload or connect. Shared by the process, so that a reconnect resets no limit. */
export function createAgentLogs({ clock, log }: { clock: Pick<Clock, "monotonicMs">; log: Log }) {
  function line(
    level: "info" | "warn" | "error",
    event: string,
    counted: "frames" | "reports" | "connects",
  ): AgentLine {
    const write = createThrottledLogPerSource(clock, (times, about) =>
      log[level](event, { ...about, [counted]: times }),
    );
    return (agentId, about) => write(agentId, { agent_id: agentId, ...about });
  }
  return {
    registryDelta: line("info", "agent_transport.registry_delta", "frames"),
    agentError: line("warn", "agent_transport.agent_error", "frames"),
    wrongDirection: line("warn", "agent_transport.wrong_direction", "frames"),
    frameDropped: line("warn", "agent_transport.frame_dropped", "frames"),
    signatureFailed: line("warn", "agent_transport.signature_failed", "frames"),
    replayRefused: line("warn", "agent_transport.replay_refused", "frames"),
    answerFailed: line("error", "agent_transport.answer_failed", "frames"),
    eventsLost: line("warn", "agent_transport.events_lost", "reports"),
    upgradeRequired: line("warn", "agent_transport.scheduler_upgrade_required", "frames"),
    versionSkew: line("warn", "agent_transport.version_skew", "connects"),
  };
}

export type AgentLogs = ReturnType<typeof createAgentLogs>;
