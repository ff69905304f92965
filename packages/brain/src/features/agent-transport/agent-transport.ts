import { closeCodes, type HelloPayload } from "@svc/protocol";
import { Broadcast } from "../../platform/broadcast.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import { createThrottledLog } from "../../platform/throttled-log.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { AdmissionStatus, AgentIdentity } from "../agents/index.ts";
import type { Commands } from "../commands/index.ts";
import type { Ingest } from "../ingest/index.ts";
import { createAdmission, type RequestFacts } from "./admission.ts";
import { createAgentLogs } from "./agent-logs.ts";
import { createDispatch, type DispatchDeps } from "./dispatch.ts";
import { createLongpoll, type SessionNews } from "./longpoll/longpoll.ts";
import { SessionRegistry } from "./longpoll/session-registry.ts";
import { Connections } from "./websocket/connections.ts";
import { Gateway } from "./websocket/gateway.ts";
import { Offers } from "./websocket/offers.ts";

export interface AgentTransportDeps {
  readonly database: Database<Tables>;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: {
    readonly SVC_MAX_WS_FRAME_BYTES: number;
    readonly SVC_WS_MAX_FRAME_BYTES: number;
    readonly SVC_WS_PER_AGENT_CONCURRENCY_CAP: number;
    readonly SVC_WS_IDLE_TIMEOUT_SECONDS: number;
  };
  readonly brainVersion: string;
  /** Id of this process on its host. */
  readonly workerId: string;
  /** Wait for hello in milliseconds, when it is not the spec's. */
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
  readonly agents: {
    authenticate(token: string): Promise<AgentIdentity | null>;
    isStillAdmitted(identity: AgentIdentity): Promise<boolean>;
    admissionStatus(identity: AgentIdentity): Promise<AdmissionStatus>;
    admittedAmong(agentIds: readonly string[]): Promise<ReadonlySet<string>>;
    connected(identity: AgentIdentity, hello: HelloPayload, at: Date): Promise<boolean>;
    workerConnected(identity: AgentIdentity, hello: HelloPayload, at: Date): Promise<void>;
    disconnected(identity: AgentIdentity, workerId: string | null, connectedAt: Date, isLast: boolean): Promise<void>;
    seen(identity: AgentIdentity, workerId: string | null | undefined, at: Date): Promise<boolean>;
    touched(identity: AgentIdentity, at: Date): void;
    uploaded(identity: AgentIdentity, at: Date): Promise<void>;
    probed(identity: AgentIdentity, features: readonly string[], at: Date): Promise<void>;
    polled(identity: AgentIdentity, at: Date): Promise<void>;
    recordSample(identity: AgentIdentity, capturedAt: Date, payload: Record<string, unknown>): Promise<void>;
    lossReported: DispatchDeps["lossReported"];
  };
  readonly ingest: Pick<Ingest, "submit" | "hasRoom" | "whenRoom">;
  applyHealth(projectId: string, frameTs: Date, health: Record<string, unknown>): void;
  readonly commands: Commands;
}

/** Everything between agents' sockets and the features behind them. */
export function createAgentTransport(deps: AgentTransportDeps) {
  const { agents, clock, commands, database, ingest, log, settings } = deps;
  const admit = createAdmission({ ...deps, authenticate: (token) => agents.authenticate(token) });
  const unsent = createThrottledLog(clock, (times, about) =>
    log.warn("agent_transport.announce_failed", { times, ...about }),
  );
  const others = new Broadcast<SessionNews>(
    { database, onError: ({ message }) => unsent({ message }) },
    "svc_agent_sessions",
  );
  const connections = new Connections(settings.SVC_WS_PER_AGENT_CONCURRENCY_CAP);
  const registry = new SessionRegistry({ clock, secretOf: deps.secretOf });
  const agentLogs = createAgentLogs({ clock, log });
  const dispatch = createDispatch({
    agentLogs,
    clock,
    log,
    ingest: (batch) => ingest.submit(batch),
    seen: (identity, workerId, at) => agents.seen(identity, workerId, at),
    touched: agents.touched,
    recordSample: (identity, capturedAt, payload) => agents.recordSample(identity, capturedAt, payload),
    lossReported: (identity, at, loss) => agents.lossReported(identity, at, loss),
    applyHealth: deps.applyHealth,
    commandAcked: ({ agent_id }, commandId, payload) => commands.reports.acked(agent_id, commandId, payload),
    commandResulted: ({ agent_id }, commandId, payload) => commands.reports.resulted(agent_id, commandId, payload),
  });

  const offers = new Offers({ connections, commands, log });
  const stopOffering = commands.work.onWork((agentId) => {
    if (agentId === null) offerAll();
    else offers.offer(agentId);
  });

  const whenIngestHasRoom = () => (ingest.hasRoom() ? null : ingest.whenRoom());
  const gateway = new Gateway({
    ...agents,
    admit,
    agentLogs,
    brainVersion: deps.brainVersion,
    clock,
    dispatch,
    giveWaiting: (connection) => offers.begin(connection),
    readsAgain: (agentId) => offers.offer(agentId),
    ...(deps.helloMs !== undefined && { helloMs: deps.helloMs }),
    idleMs: settings.SVC_WS_IDLE_TIMEOUT_SECONDS * 1000,
    log,
    maxFrameBytes: maxFrameBytes(settings),
    secretOf: deps.secretOf,
    connections,
    verified: deps.verified,
    whenIngestHasRoom,
  });

  const longpoll = createLongpoll({
    agentLogs,
    // A message that is lost is made good by the idle expiry of the session, so nobody waits for it.
    announce: (news) => void others.send([news]),
    claim: async ({ agent_id }, max, reach) =>
      (await commands.claim({ ...reach, agentId: agent_id, max, withResends: true })).commands,
    unsigned: (command) => commands.unsigned(command, "long-poll signing failed"),
    clock,
    dispatch,
    admissionStatus: (identity) => agents.admissionStatus(identity),
    probed: (identity, features, at) => agents.probed(identity, features, at),
    log,
    polled: (identity, at) => agents.polled(identity, at),
    registry,
    uploaded: (identity, at) => agents.uploaded(identity, at),
    wakePolls: (agentId) => commands.work.look(agentId),
    verified: deps.verified,
    waitForWork: ({ identity, maxFrames, reach, signal }, waitMs) =>
      commands.work.wait({
        ...reach,
        agentId: identity.agent_id,
        max: maxFrames,
        withResends: true,
        waitMs,
        signal,
      }),
    whenIngestHasRoom,
  });

  function heard(news: SessionNews): void {
    if (news.kind === "retired") {
      registry.retire(news.agentId);
    } else {
      registry.invalidate(news.agentId, news.nonce);
      commands.work.look(news.agentId);
    }
  }

  /** Revocations and archivings may have gone by unheard: asks for everyone who is connected now, and makes the polls look. */
  async function recheckEveryone(): Promise<void> {
    commands.work.lookAll();
    const agentIds = connections.agentIds();
    const admitted = await agents.admittedAmong(agentIds);
    for (const agentId of agentIds) {
      if (!admitted.has(agentId)) connections.closeAgent(agentId, closeCodes.revoked, "revoked or archived");
    }
  }

  // When it fails, the next heartbeat of each agent tells whether it may still act.
  const onGap = () =>
    void recheckEveryone().catch((error: Error) =>
      log.warn("agent_transport.recheck_failed", { message: error.message }),
    );

  // What cannot be looked for now is found by the next round of the loop.
  const offerAll = () =>
    void offers
      .offerAll()
      .catch((error: Error) => log.warn("agent_transport.offer_failed", { message: error.message }));

  const sweepTimer = setInterval(() => registry.sweep(), 30_000);
  sweepTimer.unref();

  return {
    admit,
    gateway,
    longpoll,
    connections,
    /** Gives agents connected here what waits for them, though no word of it came; returns for how many something waited. */
    offerAll: () => offers.offerAll(),
    sessions: () => registry.size(),
    start: () => others.listen(heard, { onGap }),
    /** The agent was revoked: its sockets close, its polls and sessions end. */
    revoked(agentId: string): void {
      connections.closeAgent(agentId, closeCodes.revoked, "revoked");
      registry.forgetAgent(agentId);
      commands.work.revoked(agentId);
    },
    /** The project was archived: the sockets of its agents close, and waiting polls look whether they still may. */
    archived(projectId: string): void {
      connections.closeProject(projectId, closeCodes.revoked, "project archived");
      commands.work.lookAll();
    },
    async stop(): Promise<void> {
      clearInterval(sweepTimer);
      stopOffering();
      await gateway.stop();
      await offers.stop();
      await others.stop();
    },
  };
}

/** Bytes of the largest frame: the smaller of the two settings of document part 3, 1.1 rule 5. */
export const maxFrameBytes = (
  settings: Pick<AgentTransportDeps["settings"], "SVC_MAX_WS_FRAME_BYTES" | "SVC_WS_MAX_FRAME_BYTES">,
) => Math.min(settings.SVC_MAX_WS_FRAME_BYTES, settings.SVC_WS_MAX_FRAME_BYTES);
