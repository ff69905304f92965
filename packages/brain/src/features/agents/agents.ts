import { readAgentStatus } from "@svc/protocol";
import { Broadcast } from "../../platform/broadcast.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Database } from "../../platform/database/database.ts";
import { days } from "../../platform/durations.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { type Audit, type AuditOrigin, ownOrigin } from "../audit/index.ts";
import type { TimeRange } from "../stats/index.ts";
import {
  type AdvertisedCapabilities,
  type AgentFacts,
  type AgentForEngine,
  type AgentForEngineQuery,
  advertisedCapabilities,
  agentsSeenLast,
  onlineAmong,
} from "./capabilities/capability-reads.ts";
import { type Gap, readCompleteness } from "./losses/completeness.ts";
import { createLosses, type Losses } from "./losses/losses.ts";
import { Heartbeats } from "./presence/heartbeats.ts";
import { createPresence, type Presence } from "./presence/presence.ts";
import { deleteOldProcesses } from "./presence/presence-store.ts";
import {
  countByState,
  countOnline,
  findAgents,
  listAgents,
  listProcesses,
  listSamples,
  type ProcessFilter,
} from "./reads.ts";
import type { Agent, AgentProcess } from "./schemas.ts";
import { publicAgent, publicProcess } from "./shapes.ts";
import { listStale } from "./store.ts";
import { createIdentities, type Identities } from "./tokens/identity.ts";
import { mintAgent } from "./tokens/mint.ts";
import { type CancelCommands, revokeAgent } from "./tokens/revoke.ts";

export interface AgentsDeps {
  readonly database: Database<Tables>;
  readonly clock: Clock;
  readonly audit: Pick<Audit, "append">;
  readonly masters: Keyring;
  /** Version of this brain, which agents are compared with. */
  readonly brainVersion: string;
  readonly settings: {
    readonly SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: number;
    readonly SVC_AGENT_STALE_PRUNE_DAYS: number;
    readonly SVC_AGENT_STATUS_MAX_PER_AGENT: number;
  };
  /** Told of agents whose public row changed, for the live hub; must not throw. */
  readonly publish: (change: { projectId: string; topic: "agent.changed"; ids: string[] }) => void;
  readonly onError: (error: unknown) => void;
  readonly cancelCommands: CancelCommands;
}

export interface StatusSample {
  id: number;
  captured_at: string;
  payload: Record<string, unknown>;
}

export interface RevokedAgent {
  readonly agentId: string;
  readonly projectId: string;
}

export interface Agents
  extends Pick<Identities, "authenticate" | "isStillAdmitted" | "admissionStatus" | "admittedAmong">,
    Presence,
    Pick<Heartbeats, "recordSample" | "flush"> {
  /** Notes what an agent says it has lost so far. */
  lossReported: Losses["reported"];
  /** What agents of a project lost in the range. */
  completeness(projectId: string, range: TimeRange): Promise<{ gaps: Gap[]; is_cut: boolean }>;
  /** Unrevoked agents of a project by name. */
  list(projectId: string): Promise<Agent[]>;
  /** The public rows of unrevoked agents among these ids. */
  byIds(projectId: string, ids: readonly string[]): Promise<Agent[]>;
  /** @throws ApiError `not_found` for an unknown or revoked agent. */
  get(projectId: string, id: string): Promise<Agent>;
  /** @throws ApiError `conflict` when the name is taken. */
  mint(request: {
    projectId: string;
    name: string;
    origin: AuditOrigin;
  }): Promise<{ agent: Agent; token: string; hmac_secret: string }>;
  /** @throws ApiError `not_found` for an unknown or revoked agent. */
  revoke(request: { projectId: string; id: string; origin: AuditOrigin }): Promise<void>;
  /** The newest 100 samples, newest first. */
  statusHistory(projectId: string, id: string): Promise<StatusSample[]>;
  listProcesses(projectId: string, filter: ProcessFilter): Promise<AgentProcess[]>;
  countByState(projectId: string): Promise<Record<"online" | "offline" | "unknown", number>>;
  countOnline(maxProjects: number): ReturnType<typeof countOnline>;
  /** By project and engine the online agent that was seen last of those that advertise the token for the engine. */
  seenLast(query: Omit<AgentForEngineQuery, "since">): Promise<AgentForEngine[]>;
  /** Those of a project's agents that are online, with their sessions; one that polls counts as a session. */
  onlineAmong(projectId: string, agentIds: readonly string[]): Promise<AgentFacts[]>;
  /** What the online agents of a project advertise, those seen last first. */
  advertised(projectId: string, limit: number): Promise<AdvertisedCapabilities[]>;
  /** Notes contact; false when the agent is known to be revoked. `workerId` null is the process without one, undefined no process at all. */
  seen(identity: Parameters<Heartbeats["seen"]>[0], workerId: string | null | undefined, at: Date): Promise<boolean>;
  touched: Heartbeats["touched"];
  /** Revokes agents and deletes process rows that were not used for the stale days; between agents it looks at the signal. */
  sweepStale(signal: AbortSignal): Promise<number>;
  /** Forgets what is remembered of a project's agents, after it was archived or restored. */
  forgetProject(projectId: string): void;
  /** Calls `listener` for agents revoked by any process; returns the way to stop. */
  onRevoked(listener: (revoked: RevokedAgent) => void): () => void;
  /** Calls `listener` with the project of every agent that connected to this process, or was seen again after it had been offline. */
  onArrived(listener: (projectId: string) => void): void;
  /** Starts hearing of revocations in other processes. */
  start(): Promise<void>;
  /** Writes what is gathered and stops. */
  stop(): Promise<void>;
}

const shownSamples = 100;
const staleBatch = 100;

/** Agents: their records, who they are, and whether they are there. */
export function createAgents(deps: AgentsDeps): Agents {
  const { database, clock, audit, masters, brainVersion, settings, cancelCommands } = deps;
  const identities = createIdentities(database, clock, masters);
  const listeners = new Set<(revoked: RevokedAgent) => void>();
  const arrivalListeners = new Set<(projectId: string) => void>();
  const others = new Broadcast<RevokedAgent>(deps, "svc_agent_revoked");
  const onChanged = (projectId: string, ids: string[]) => deps.publish({ projectId, topic: "agent.changed", ids });
  const heartbeats = new Heartbeats({
    database,
    samplesPerAgent: settings.SVC_AGENT_STATUS_MAX_PER_AGENT,
    onReturned(projectId, ids) {
      onChanged(projectId, ids);
      cameTo(projectId);
    },
    onError: deps.onError,
  });
  const cameTo = (projectId: string) => {
    for (const listener of arrivalListeners) listener(projectId);
  };
  const losses = createLosses({ database, clock, onError: deps.onError });
  const presence = createPresence({
    database,
    clock,
    heartbeats,
    offlineTimeoutMs: settings.SVC_AGENT_OFFLINE_TIMEOUT_SECONDS * 1000,
    onChanged,
  });

  /** Agents that poll are there while their last upload was after this. */
  const uploadedSince = () => new Date(clock.now().getTime() - settings.SVC_AGENT_OFFLINE_TIMEOUT_SECONDS * 1000);

  function heardRevoked(revoked: RevokedAgent): void {
    identities.forget({ agentId: revoked.agentId });
    for (const listener of listeners) listener(revoked);
  }

  /** Here at once; elsewhere by notification, whose loss the transports' own re-checks make good. */
  async function announce(agentId: string, projectId: string): Promise<void> {
    heardRevoked({ agentId, projectId });
    onChanged(projectId, [agentId]);
    await others.send([{ agentId, projectId }]);
  }

  async function get(projectId: string, id: string): Promise<Agent> {
    const [row] = await findAgents(database.read, projectId, [id.toLowerCase()]);
    if (row === undefined) throw new ApiError("not_found", { resource: "agent" });
    return publicAgent(row, brainVersion);
  }

  return {
    ...presence,
    async workerConnected(identity, hello, at) {
      await presence.workerConnected(identity, hello, at);
      cameTo(identity.project_id);
    },
    authenticate: identities.authenticate,
    isStillAdmitted: identities.isStillAdmitted,
    admissionStatus: identities.admissionStatus,
    admittedAmong: identities.admittedAmong,
    recordSample(identity, capturedAt, payload) {
      losses.reported(identity, capturedAt, readAgentStatus(payload).telemetry_loss);
      return heartbeats.recordSample(identity, capturedAt, payload);
    },
    async flush() {
      await Promise.all([heartbeats.flush(), losses.flush()]);
    },
    lossReported: losses.reported,
    completeness: (projectId, range) => readCompleteness(database, projectId, range),
    seen: async (identity, workerId, at) => heartbeats.seen(identity, workerId, at),
    touched: (identity, at) => heartbeats.touched(identity, at),
    get,
    async list(projectId) {
      return (await listAgents(database.read, projectId)).map((row) => publicAgent(row, brainVersion));
    },
    async byIds(projectId, ids) {
      return (await findAgents(database.read, projectId, ids)).map((row) => publicAgent(row, brainVersion));
    },
    async mint(request) {
      const { row, token, hmacSecret } = await mintAgent({ database, clock, audit, masters }, request);
      onChanged(row.project_id, [row.id]);
      return { agent: publicAgent(row, brainVersion), token, hmac_secret: hmacSecret };
    },
    revoke: (request) =>
      revokeAgent({ database, clock, audit, announce, cancelCommands }, { ...request, id: request.id.toLowerCase() }),
    async statusHistory(projectId, id) {
      const agent = await get(projectId, id);
      const samples = await listSamples(database.read, agent.id, shownSamples);
      return samples.map((sample) => ({
        id: sample.id,
        captured_at: sample.captured_at.toISOString(),
        payload: JSON.parse(sample.payload) as Record<string, unknown>,
      }));
    },
    async listProcesses(projectId, filter) {
      return (await listProcesses(database.read, projectId, filter)).map(publicProcess);
    },
    countByState: (projectId) => countByState(database.read, projectId),
    countOnline: (maxProjects) => countOnline(database.read, maxProjects),
    seenLast: (query) =>
      agentsSeenLast(query.projectId === undefined ? database.slow : database.read, {
        ...query,
        since: uploadedSince(),
      }),
    onlineAmong: (projectId, agentIds) => onlineAmong(database.read, { projectId, agentIds, since: uploadedSince() }),
    advertised: (projectId, limit) =>
      advertisedCapabilities(database.read, { projectId, limit, since: uploadedSince() }),
    async sweepStale(signal) {
      if (settings.SVC_AGENT_STALE_PRUNE_DAYS === 0) return 0;
      const cutoff = new Date(clock.now().getTime() - days(settings.SVC_AGENT_STALE_PRUNE_DAYS));
      await database.write((tx) => deleteOldProcesses(tx, cutoff), { alone: true });
      let revoked = 0;
      for (let batch = staleBatch; batch === staleBatch && !signal.aborted; ) {
        const stale = await listStale(database.read, cutoff, staleBatch);
        batch = stale.length;
        for (const { id, project_id: projectId } of stale) {
          if (signal.aborted) break;
          const revoking = revokeAgent(
            { database, clock, audit, announce, cancelCommands },
            { id, projectId, origin: ownOrigin, silentSince: cutoff },
          );
          if (await happened(revoking)) revoked += 1;
        }
      }
      return revoked;
    },
    forgetProject(projectId) {
      identities.forget({ projectId });
      heartbeats.forgetProject(projectId);
    },
    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onArrived(listener) {
      arrivalListeners.add(listener);
    },
    start: () => others.listen(heardRevoked, { onGap: () => identities.forget("everyone") }),
    async stop() {
      await others.stop();
      await Promise.all([heartbeats.stop(), losses.stop()]);
    },
  };
}

/** False when the agent came back, or was revoked by somebody, in between. */
const happened = (revoking: Promise<void>): Promise<boolean> =>
  revoking.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.code === "not_found") return false;
      throw error;
    },
  );
