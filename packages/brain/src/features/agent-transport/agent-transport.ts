import { closeCodes } from "@svc/protocol";
import { Broadcast } from "../../platform/broadcast.ts";
import type { Log } from "../../platform/log.ts";
import { createThrottledLog } from "../../platform/throttled-log.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { AgentIdentity, Agents } from "../agents/index.ts";
import type { Commands } from "../commands/index.ts";
import type { Ingest } from "../ingest/index.ts";
import { type Admit, createAdmission, type RequestFacts } from "./admission.ts";
import { type AgentLogs, createAgentLogs } from "./agent-logs.ts";
import { createDispatch, type Dispatch } from "./dispatch.ts";
import { createLongpoll, type Longpoll, type SessionChange } from "./longpoll/longpoll.ts";
import { SessionRegistry } from "./longpoll/session-registry.ts";
import { Connections } from "./websocket/connections.ts";
import { Gateway } from "./websocket/gateway.ts";
import { Offers } from "./websocket/offers.ts";

export interface AgentTransportDeps extends Core {
  readonly log: Log;
  readonly settings: {
    readonly SVC_MAX_WS_FRAME_BYTES: number;
    readonly SVC_WS_MAX_FRAME_BYTES: number;
    readonly SVC_WS_PER_AGENT_CONCURRENCY_CAP: number;
    readonly SVC_WS_IDLE_TIMEOUT_SECONDS: number;
    readonly SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS: number;
  };
  readonly brainVersion: string;
  /** Id of this process on its host. */
  readonly workerId: string;
  /** How long to wait for the hello, in milliseconds; set by tests. */
  readonly helloMs?: number;
  secretOf(projectId: string): Uint8Array;
  takeConnect(address: string): number | null;
  isAddressAllowed(address: string): boolean;
  refused(
    action: "agent.auth.bearer_failed" | "agent.auth.project_inactive",
    facts: RequestFacts,
    identity?: AgentIdentity,
  ): void;
  verified(path: "fast" | "slow"): void;
  readonly agents: Pick<Agents, "identities" | "presence" | "heartbeats" | "losses" | "recordSample">;
  readonly ingest: Pick<Ingest, "submit" | "hasCapacity" | "whenCapacity">;
  applyHealth(projectId: string, frameTs: Date, health: Record<string, unknown>): void;
  readonly commands: Commands;
}

const sweepEveryMs = 30_000;

/** Connects agents' sockets and polls with the features behind them. */
export class AgentTransport {
  readonly admit: Admit;
  readonly gateway: Gateway;
  readonly longpoll: Longpoll;
  readonly #deps: AgentTransportDeps;
  readonly #connections: Connections;
  readonly #registry: SessionRegistry;
  readonly #offers: Offers;
  readonly #others: Broadcast<SessionChange>;
  readonly #stopOffering: () => void;
  readonly #sweepTimer: NodeJS.Timeout;

  constructor(deps: AgentTransportDeps) {
    const { agents, clock, commands, database, log, settings } = deps;
    const { identities } = agents;
    this.#deps = deps;
    const unsent = createThrottledLog(clock, (times, about) =>
      log.warn("agent_transport.announce_failed", { times, ...about }),
    );
    this.#others = new Broadcast({ database, onError: ({ message }) => unsent({ message }) }, "svc_agent_sessions");
    this.#connections = new Connections(settings.SVC_WS_PER_AGENT_CONCURRENCY_CAP);
    this.#registry = new SessionRegistry({ clock, secretOf: deps.secretOf });
    const resendMs = settings.SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS * 1000;
    this.#offers = new Offers({ connections: this.#connections, commands, clock, log, resendMs });
    this.#stopOffering = commands.work.onWork((agentId) => {
      if (agentId === null) this.#offerAll();
      else this.#offers.offer(agentId);
    });
    this.admit = createAdmission({ ...deps, authenticate: identities.authenticate });
    const agentLogs = createAgentLogs({ clock, log });
    const dispatch = this.#createDispatch(agentLogs);
    this.gateway = this.#createGateway(agentLogs, dispatch);
    this.longpoll = this.#createLongpoll(agentLogs, dispatch);
    this.#sweepTimer = setInterval(() => this.#registry.sweep(), sweepEveryMs);
    this.#sweepTimer.unref();
  }

  /** Offers waiting commands to agents connected here, in case a notification was lost; returns for how many agents any waited. */
  offerAll(): Promise<number> {
    return this.#offers.offerAll();
  }

  /** Long-poll sessions of this process. */
  sessions(): number {
    return this.#registry.size();
  }

  start(): Promise<void> {
    // When it fails, the next heartbeat of each agent checks whether it may still act.
    const onGap = () =>
      void this.#recheckEveryone().catch((error: Error) =>
        this.#deps.log.warn("agent_transport.recheck_failed", { message: error.message }),
      );
    return this.#others.listen((change) => this.#onNotification(change), { onGap });
  }

  /** The agent was revoked: its sockets close, its polls and sessions end. */
  revoked(agentId: string): void {
    this.#connections.closeAgent(agentId, closeCodes.revoked, "revoked");
    this.#registry.forgetAgent(agentId);
    this.#deps.commands.work.revoked(agentId);
  }

  /** The project was archived: the sockets of its agents close, and waiting polls check their admission. */
  archived(projectId: string): void {
    this.#connections.closeProject(projectId, closeCodes.revoked, "project archived");
    this.#deps.commands.work.wakeAllPolls();
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweepTimer);
    this.#stopOffering();
    await this.gateway.stop();
    await this.#offers.stop();
    await this.#others.stop();
  }

  #createDispatch(agentLogs: AgentLogs): Dispatch {
    const { agents, clock, commands, ingest, log } = this.#deps;
    return createDispatch({
      agentLogs,
      clock,
      log,
      ingest: (batch) => ingest.submit(batch),
      seen: async (identity, workerId, at) => agents.heartbeats.seen(identity, workerId, at),
      touched: (identity, at) => agents.heartbeats.touched(identity, at),
      recordSample: (identity, capturedAt, payload) => agents.recordSample(identity, capturedAt, payload),
      lossReported: (identity, at, loss) => agents.losses.reported(identity, at, loss),
      applyHealth: this.#deps.applyHealth,
      commandAcked: ({ agent_id }, commandId, payload) => commands.reports.acked(agent_id, commandId, payload),
      commandResulted: ({ agent_id }, commandId, payload) => commands.reports.resulted(agent_id, commandId, payload),
    });
  }

  #createGateway(agentLogs: AgentLogs, dispatch: Dispatch): Gateway {
    const { agents, brainVersion, clock, helloMs, log, secretOf, settings, verified } = this.#deps;
    const { identities, presence } = agents;
    return new Gateway({
      ...{ admit: this.admit, agentLogs, brainVersion, clock, dispatch, log, secretOf, verified },
      ...(helloMs !== undefined && { helloMs }),
      connected: (identity, hello, at) => presence.connected(identity, hello, at),
      workerConnected: (identity, hello, at) => presence.workerConnected(identity, hello, at),
      disconnected: (identity, workerId, at, isLast) => presence.disconnected(identity, workerId, at, isLast),
      isStillAdmitted: identities.isStillAdmitted,
      giveWaiting: (connection) => this.#offers.begin(connection),
      ended: (agentId) => this.#offers.ended(agentId),
      takesAgain: (agentId) => this.#offers.offer(agentId),
      idleMs: settings.SVC_WS_IDLE_TIMEOUT_SECONDS * 1000,
      maxFrameBytes: maxFrameBytes(settings),
      connections: this.#connections,
      whenIngestHasCapacity: this.#whenIngestHasCapacity,
    });
  }

  #createLongpoll(agentLogs: AgentLogs, dispatch: Dispatch): Longpoll {
    const { agents, clock, commands, log, verified } = this.#deps;
    const { identities, presence } = agents;
    return createLongpoll({
      ...{ agentLogs, clock, dispatch, log, registry: this.#registry, verified },
      // A lost notification is covered by the idle expiry of the session, so sending it is not awaited.
      announce: (change) => void this.#others.send([change]),
      claim: async ({ agent_id }, max, reach) =>
        (await commands.claim({ ...reach, agentId: agent_id, max, withResends: true })).commands,
      unsigned: (command) => commands.unsigned(command, "long-poll signing failed"),
      admissionStatus: identities.admissionStatus,
      probed: (identity, features, at) => presence.probed(identity, features, at),
      polled: (identity, at) => presence.polled(identity, at),
      uploaded: (identity, at) => presence.uploaded(identity, at),
      wakePolls: (agentId) => commands.work.wakePolls(agentId),
      waitForWork: ({ identity, maxFrames: max, reach, signal }, waitMs) =>
        commands.work.wait({ ...reach, agentId: identity.agent_id, max, withResends: true, waitMs, signal }),
      whenIngestHasCapacity: this.#whenIngestHasCapacity,
    });
  }

  readonly #whenIngestHasCapacity = () => (this.#deps.ingest.hasCapacity() ? null : this.#deps.ingest.whenCapacity());

  /** Offers in the background; a failed offer is repeated by the next round of the loop. */
  #offerAll(): void {
    this.#offers
      .offerAll()
      .catch((error: Error) => this.#deps.log.warn("agent_transport.offer_failed", { message: error.message }));
  }

  #onNotification(change: SessionChange): void {
    if (change.kind === "retired") {
      this.#registry.retire(change.agentId);
    } else {
      this.#registry.invalidate(change.agentId, change.nonce);
      this.#deps.commands.work.wakePolls(change.agentId);
    }
  }

  /** Notifications of revocations and archivings may be lost: re-checks every connected agent, and makes the polls check too. */
  async #recheckEveryone(): Promise<void> {
    this.#deps.commands.work.wakeAllPolls();
    const agentIds = this.#connections.agentIds();
    const admitted = await this.#deps.agents.identities.admittedAmong(agentIds);
    for (const agentId of agentIds) {
      if (!admitted.has(agentId)) this.#connections.closeAgent(agentId, closeCodes.revoked, "revoked or archived");
    }
  }
}

/** Size limit of a frame in bytes: the smaller of the two settings, because a frame is one message. */
export const maxFrameBytes = (
  settings: Pick<AgentTransportDeps["settings"], "SVC_MAX_WS_FRAME_BYTES" | "SVC_WS_MAX_FRAME_BYTES">,
) => Math.min(settings.SVC_MAX_WS_FRAME_BYTES, settings.SVC_WS_MAX_FRAME_BYTES);
