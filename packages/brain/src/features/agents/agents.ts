import { readAgentStatus } from "@svc/protocol";
import type { Static } from "typebox";
import { Broadcast } from "../../platform/broadcast.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { days } from "../../platform/durations.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Core } from "../../schema/tables/index.ts";
import { type Audit, type AuditOrigin, ownOrigin } from "../audit/index.ts";
import type { TimeRange } from "../stats/index.ts";
import {
  type AdvertisedCapabilities,
  type AgentForEngine,
  type AgentForEngineQuery,
  type AgentWithSessions,
  advertisedCapabilities,
  agentsSeenLast,
  onlineAmong,
} from "./capabilities/capability-reads.ts";
import { type Gap, readCompleteness } from "./losses/completeness.ts";
import { Losses } from "./losses/losses.ts";
import { Heartbeats } from "./presence/heartbeats.ts";
import { Presence } from "./presence/presence.ts";
import { deleteOldProcesses } from "./presence/presence-store.ts";
import {
  type AgentIdentity,
  countByState,
  countOnline,
  findAgents,
  listAgents,
  listProcesses,
  listSamples,
  type ProcessFilter,
} from "./reads.ts";
import type { Agent, StatusHistory } from "./schemas.ts";
import { publicAgent } from "./shapes.ts";
import { listStale } from "./store.ts";
import { createIdentities, type Identities } from "./tokens/identity.ts";
import { mintAgent } from "./tokens/mint.ts";
import { type CancelCommands, revokeAgent } from "./tokens/revoke.ts";

export interface AgentsDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  readonly masters: Keyring;
  /** Version of this brain; agents are compared with it. */
  readonly brainVersion: string;
  readonly settings: {
    readonly SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: number;
    readonly SVC_AGENT_STALE_PRUNE_DAYS: number;
    readonly SVC_AGENT_STATUS_MAX_PER_AGENT: number;
  };
  /** Called for agents whose public row changed, for the live hub; must not throw. */
  readonly publish: (change: { projectId: string; topic: "agent.changed"; ids: string[] }) => void;
  readonly onError: (error: unknown) => void;
  readonly cancelCommands: CancelCommands;
}

export interface RevokedAgent {
  readonly agentId: string;
  readonly projectId: string;
}

const shownSamples = 100;
const staleBatch = 100;

/** Agent records here; identity, presence and losses in their own parts. */
export class Agents {
  readonly identities: Identities;
  readonly presence: Presence;
  readonly heartbeats: Heartbeats;
  readonly losses: Losses;
  readonly #deps: AgentsDeps;
  readonly #others: Broadcast<RevokedAgent>;
  readonly #revocationListeners = new Set<(revoked: RevokedAgent) => void>();
  readonly #arrivalListeners = new Set<(projectId: string) => void>();

  constructor(deps: AgentsDeps) {
    const { database, clock, onError, settings } = deps;
    const onArrived = (projectId: string) => {
      for (const listener of this.#arrivalListeners) listener(projectId);
    };
    this.#deps = deps;
    this.#others = new Broadcast(deps, "svc_agent_revoked");
    this.identities = createIdentities(database, clock, deps.masters);
    this.losses = new Losses({ database, clock, onError });
    this.heartbeats = new Heartbeats({
      database,
      samplesPerAgent: settings.SVC_AGENT_STATUS_MAX_PER_AGENT,
      onReturned: (projectId, ids) => {
        this.#changed(projectId, ids);
        onArrived(projectId);
      },
      onError,
    });
    this.presence = new Presence({
      database,
      clock,
      heartbeats: this.heartbeats,
      offlineTimeoutMs: settings.SVC_AGENT_OFFLINE_TIMEOUT_SECONDS * 1000,
      onChanged: (projectId, ids) => this.#changed(projectId, ids),
      onArrived,
    });
  }

  /** Unrevoked agents of a project by name. */
  async list(projectId: string): Promise<Agent[]> {
    return (await listAgents(this.#deps.database.read, projectId)).map((row) => this.#public(row));
  }

  /** The public rows of unrevoked agents among these ids. */
  async byIds(projectId: string, ids: readonly string[]): Promise<Agent[]> {
    return (await findAgents(this.#deps.database.read, projectId, ids)).map((row) => this.#public(row));
  }

  /** @throws ApiError `not_found` for an unknown or revoked agent. */
  async get(projectId: string, id: string): Promise<Agent> {
    const [agent] = await this.byIds(projectId, [id.toLowerCase()]);
    if (agent === undefined) throw new ApiError("not_found", { resource: "agent" });
    return agent;
  }

  /** @throws ApiError `conflict` when the name is taken. */
  async mint(request: { projectId: string; name: string; origin: AuditOrigin }) {
    const { agent, token, hmacSecret } = await mintAgent(this.#deps, request);
    this.#changed(agent.project_id, [agent.id]);
    return { agent: this.#public(agent), token, hmac_secret: hmacSecret };
  }

  /** @throws ApiError `not_found` for an unknown or revoked agent. */
  revoke({ id, ...request }: { projectId: string; id: string; origin: AuditOrigin }): Promise<void> {
    return this.#revoke({ ...request, id: id.toLowerCase() });
  }

  /** Revokes agents and deletes process rows that are unused for the stale days; checks the signal between agents. */
  async sweepStale(signal: AbortSignal): Promise<number> {
    const { clock, database, settings } = this.#deps;
    if (settings.SVC_AGENT_STALE_PRUNE_DAYS === 0) return 0;
    const cutoff = new Date(clock.now().getTime() - days(settings.SVC_AGENT_STALE_PRUNE_DAYS));
    await database.write((tx) => deleteOldProcesses(tx, cutoff), { alone: true });
    let revoked = 0;
    for (let batch = staleBatch; batch === staleBatch && !signal.aborted; ) {
      const stale = await listStale(database.read, cutoff, staleBatch);
      batch = stale.length;
      for (const { id, project_id: projectId } of stale) {
        if (signal.aborted) break;
        if (await happened(this.#revoke({ id, projectId, origin: ownOrigin, silentSince: cutoff }))) revoked += 1;
      }
    }
    return revoked;
  }

  /** Stores a status sample and records the losses that it reports. */
  recordSample(identity: AgentIdentity, capturedAt: Date, payload: Record<string, unknown>): Promise<void> {
    this.losses.reported(identity, capturedAt, readAgentStatus(payload).telemetry_loss);
    return this.heartbeats.recordSample(identity, capturedAt, payload);
  }

  /** The newest 100 samples, newest first. */
  async statusHistory(projectId: string, id: string): Promise<Static<typeof StatusHistory>["items"]> {
    const agent = await this.get(projectId, id);
    const samples = await listSamples(this.#deps.database.read, agent.id, shownSamples);
    return samples.map((sample) => ({ ...sample, payload: JSON.parse(sample.payload) as Record<string, unknown> }));
  }

  listProcesses(projectId: string, filter: ProcessFilter): ReturnType<typeof listProcesses> {
    return listProcesses(this.#deps.database.read, projectId, filter);
  }

  /** Gaps in what agents of a project reported in the range. */
  completeness(projectId: string, range: TimeRange): Promise<{ gaps: Gap[]; is_cut: boolean }> {
    return readCompleteness(this.#deps.database, projectId, range);
  }

  countByState(projectId: string): ReturnType<typeof countByState> {
    return countByState(this.#deps.database.read, projectId);
  }

  countOnline(maxProjects: number): ReturnType<typeof countOnline> {
    return countOnline(this.#deps.database.read, maxProjects);
  }

  /** Per project and engine, the online agent that was seen last and advertises the token for the engine. */
  seenLast(query: Omit<AgentForEngineQuery, "since">): Promise<AgentForEngine[]> {
    const { read, slow } = this.#deps.database;
    return agentsSeenLast(query.projectId === undefined ? slow : read, { ...query, since: this.#uploadedSince() });
  }

  /** The online ones among these agents of a project, with their sessions; a polling agent counts as one session. */
  onlineAmong(projectId: string, agentIds: readonly string[]): Promise<AgentWithSessions[]> {
    return onlineAmong(this.#deps.database.read, { projectId, agentIds, since: this.#uploadedSince() });
  }

  /** What the online agents of a project advertise, most recently seen first. */
  advertised(projectId: string, limit: number): Promise<AdvertisedCapabilities[]> {
    return advertisedCapabilities(this.#deps.database.read, { projectId, limit, since: this.#uploadedSince() });
  }

  /** Drops cached state of a project's agents, after it was archived or restored. */
  forgetProject(projectId: string): void {
    this.identities.forget({ projectId });
    this.heartbeats.forgetProject(projectId);
  }

  /** Calls `listener` for agents revoked by any process; returns a function that removes it. */
  onRevoked(listener: (revoked: RevokedAgent) => void): () => void {
    this.#revocationListeners.add(listener);
    return () => this.#revocationListeners.delete(listener);
  }

  /** Calls `listener` with the project of every agent that connects to this process or is seen again after being offline. */
  onArrived(listener: (projectId: string) => void): void {
    this.#arrivalListeners.add(listener);
  }

  /** Subscribes to revocations in other processes. */
  start(): Promise<void> {
    return this.#others.listen((revoked) => this.#revoked(revoked), {
      onGap: () => this.identities.forget("everyone"),
    });
  }

  async flush(): Promise<void> {
    await Promise.all([this.heartbeats.flush(), this.losses.flush()]);
  }

  /** Writes what is buffered and stops. */
  async stop(): Promise<void> {
    await this.#others.stop();
    await Promise.all([this.heartbeats.stop(), this.losses.stop()]);
  }

  #public(row: Parameters<typeof publicAgent>[0]): Agent {
    return publicAgent(row, this.#deps.brainVersion);
  }

  #changed(projectId: string, ids: string[]): void {
    this.#deps.publish({ projectId, topic: "agent.changed", ids });
  }

  /** A polling agent is online while its last upload is after this time. */
  #uploadedSince(): Date {
    const { clock, settings } = this.#deps;
    return new Date(clock.now().getTime() - settings.SVC_AGENT_OFFLINE_TIMEOUT_SECONDS * 1000);
  }

  /** Announced here at once and elsewhere by notification. The transports re-check periodically, which covers lost notifications. */
  async #revoke(request: Parameters<typeof revokeAgent>[1]): Promise<void> {
    await revokeAgent(this.#deps, request);
    const revoked = { agentId: request.id, projectId: request.projectId };
    this.#revoked(revoked);
    this.#changed(revoked.projectId, [revoked.agentId]);
    await this.#others.send([revoked]);
  }

  #revoked(revoked: RevokedAgent): void {
    this.identities.forget({ agentId: revoked.agentId });
    for (const listener of this.#revocationListeners) listener(revoked);
  }
}

/** False when the agent reconnected or another request revoked it first. */
const happened = (revoking: Promise<void>): Promise<boolean> =>
  revoking.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.code === "not_found") return false;
      throw error;
    },
  );
