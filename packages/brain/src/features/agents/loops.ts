import { retentionHorizonMs } from "@svc/protocol";
import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import { newestInstant, newestOfEach } from "../../platform/database/newest.ts";
import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention, retentionBase } from "../../platform/retention.ts";
import type { BrainDatabase, Core } from "../../schema/tables/index.ts";
import type { Agents } from "./agents.ts";
import { deleteLossesBefore, deleteMarksBefore } from "./losses/losses-store.ts";
import { agentsWithSamplesBefore, deleteSamplesBefore } from "./presence/samples-store.ts";

interface AgentLoopDeps {
  agents: Pick<Agents, "sweepStale"> & { readonly presence: Pick<Agents["presence"], "sweepOffline"> };
  settings: { SVC_AGENT_HEALTH_SWEEP_SECONDS: number; SVC_AGENT_HYGIENE_SWEEP_SECONDS: number };
}

/** Marks silent agents offline. Runs in every replica: the update is conditional, so two at once are harmless. */
export const sweepOfflineAgents: Loop<AgentLoopDeps> = {
  name: "agents.health",
  everyMs: ({ settings }) => settings.SVC_AGENT_HEALTH_SWEEP_SECONDS * 1000,
  leaderOnly: false,
  async tick({ agents }) {
    return { offline: await agents.presence.sweepOffline() };
  },
};

/**
 * Revokes unused agents. Leader only, so that one revocation writes one audit row. It runs late after the start, because agents need time to
 * reconnect after an outage of the service.
 */
export const sweepStaleAgents: Loop<AgentLoopDeps> = {
  name: "agents.hygiene",
  everyMs: ({ settings }) => settings.SVC_AGENT_HYGIENE_SWEEP_SECONDS * 1000,
  firstAfterMs: 900_000,
  leaderOnly: true,
  removesByAge: true,
  async tick({ agents, signal }) {
    return { revoked: await agents.sweepStale(signal) };
  },
};

const agentsPerLook = 1000;

/** Deletes status samples and losses that are older than the event retention. */
export const pruneSamples: Loop<Core & { settings: { SVC_EVENT_RETENTION_DAYS: number } }> = {
  name: "agents.retention",
  ...hourlyRetention,
  async tick({ database, clock, settings, signal }) {
    function cutoffOf(newest: Date | null): Date | null {
      const base = retentionBase(clock.now(), newest);
      return base && new Date(retentionHorizonMs(base, settings.SVC_EVENT_RETENTION_DAYS));
    }
    const samples = { table: "agent_status_history", ownerId: "agent_id", column: "captured_at" } as const;
    return {
      deleted: await pruneSampleRows(database, cutoffOf(await newestOfEach(database.slow, "agents", samples)), signal),
      losses: await pruneLosses(database, cutoffOf, signal),
    };
  },
};

async function pruneSampleRows(database: BrainDatabase, cutoff: Date | null, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  if (cutoff === null) return deleted;
  for (let agents = agentsPerLook; agents === agentsPerLook && !signal.aborted; ) {
    const found = await agentsWithSamplesBefore(database, cutoff, agentsPerLook);
    agents = found.length;
    for (const agentId of found) {
      deleted += await deleteInBatches(signal, (limit) => deleteSamplesBefore(database, agentId, cutoff, limit));
    }
  }
  return deleted;
}

async function pruneLosses(
  database: BrainDatabase,
  cutoffOf: (newest: Date | null) => Date | null,
  signal: AbortSignal,
): Promise<number> {
  const cutoff = cutoffOf(await newestInstant(database.slow, "loss_intervals", "to_at"));
  const losses =
    cutoff === null ? 0 : await deleteInBatches(signal, (limit) => deleteLossesBefore(database, cutoff, limit));
  const marks = cutoffOf(await newestInstant(database.slow, "loss_marks", "seen_at"));
  if (marks !== null && !signal.aborted) await deleteMarksBefore(database, marks);
  return losses;
}
