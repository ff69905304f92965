import { closeCodes, encodeHelloAck, type HelloPayload, parseHello, protocolVersion, wireTimes } from "@svc/protocol";
import type { WebSocket } from "ws";
import type { Log } from "../../../platform/log.ts";
import { createThrottledLog, type ThrottledLog } from "../../../platform/throttled-log.ts";
import type { AgentIdentity } from "../../agents/index.ts";
import type { Admit, RequestFacts } from "../admission.ts";
import { compareVersions } from "../versions.ts";
import { Connection, type ConnectionDeps } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { Liveness } from "./liveness.ts";

export interface GatewayDeps extends ConnectionDeps {
  readonly log: Log;
  readonly admit: Admit;
  readonly connections: Connections;
  readonly brainVersion: string;
  readonly maxFrameBytes: number;
  readonly idleMs: number;
  /** How long to wait for the first frame; 10 s unless a test sets it. */
  readonly helloMs?: number;
  secretOf(projectId: string): Uint8Array;
  /** Marks the agent online unless it is revoked; false otherwise. */
  connected(identity: AgentIdentity, hello: HelloPayload, at: Date): Promise<boolean>;
  /** Writes the worker process row of the connection. */
  workerConnected(identity: AgentIdentity, hello: HelloPayload, at: Date): Promise<void>;
  /** Whether the agent is still unrevoked and its project active, read from the database. */
  isStillAdmitted(identity: AgentIdentity): Promise<boolean>;
  /** The connection closed; `isLast` when it was the agent's last connection here. */
  disconnected(identity: AgentIdentity, workerId: string | null, connectedAt: Date, isLast: boolean): Promise<void>;
  /** Offers unacknowledged and waiting commands to the connection, oldest first. */
  giveWaiting(connection: Connection): Promise<void>;
  /** A connection ended that no newer one replaced. Must not throw. */
  ended(agentId: string): void;
}

const heartbeatSeconds = 10;
/** Close code of a server that stops (RFC 6455, 7.4.1). */
const goingAway = 1001;

/** The WebSocket side of the agent transport: the handshake, then the receive loop. */
export class Gateway {
  readonly #deps: GatewayDeps;
  readonly #liveness: Liveness;
  /** Sockets whose handshake is in progress. */
  readonly #handshakes = new Map<WebSocket, { giveUp(): void; readonly settled: Promise<void> }>();
  /** Disconnects whose write is in progress. */
  readonly #disconnects = new Set<Promise<void>>();
  // While the database is down every handshake fails, and agents retry.
  readonly #handshakeFailed: ThrottledLog;
  readonly #disconnectNotNoted: ThrottledLog;
  #isStopping = false;

  constructor(deps: GatewayDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#liveness = new Liveness(clock, deps.idleMs);
    this.#handshakeFailed = createThrottledLog(clock, (handshakes, about) =>
      log.error("agent_transport.handshake_failed", { handshakes, ...about }),
    );
    this.#disconnectNotNoted = createThrottledLog(clock, (disconnects, about) =>
      log.warn("agent_transport.disconnect_not_noted", { disconnects, ...about }),
    );
  }

  connections(): number {
    return this.#deps.connections.count();
  }

  /** Checks idle limits and pings of all connections now, as happens every second. For tests. */
  checkNow(): void {
    this.#liveness.checkAll();
  }

  /** Accepts an upgraded socket. Messages that arrive early wait, with the socket paused. */
  accept(socket: WebSocket, facts: RequestFacts): void {
    if (this.#isStopping) {
      socket.close(goingAway, "shutting down");
      return;
    }
    const early: Uint8Array[] = [];
    let earlyPing: Buffer | null = null;
    const first = Promise.withResolvers<Uint8Array | null>();
    const helloTimer = setTimeout(() => first.resolve(null), this.#deps.helloMs ?? wireTimes.helloMs);
    let connection: Connection | null = null;
    let hasFirst = false;
    let isRefused = false;
    socket.on("error", ({ message }) => this.#deps.log.debug("agent_transport.socket_error", { message }));
    socket.on("close", () => first.resolve(null));
    socket.on("ping", (data) => {
      if (connection === null) earlyPing = data;
      else connection.pinged(data);
    });
    socket.on("message", (data: Buffer) => {
      if (isRefused) return;
      if (connection !== null) {
        connection.receive(data);
        return;
      }
      if (hasFirst) early.push(data);
      hasFirst = true;
      clearTimeout(helloTimer);
      first.resolve(data);
      socket.pause();
    });
    const settled = this.#handshake(socket, facts, first.promise)
      .then((opened) => {
        connection = opened;
        isRefused = opened === null;
        // A paused socket would not see the peer's answer to the close frame.
        socket.resume();
        if (opened === null) return;
        for (const message of early.splice(0)) opened.receive(message);
        if (earlyPing !== null) opened.pinged(earlyPing);
      })
      .catch((error: Error) => {
        this.#handshakeFailed({ message: error.message });
        isRefused = true;
        socket.close(closeCodes.internalError, "internal error");
        socket.resume();
      })
      .finally(() => {
        clearTimeout(helloTimer);
        this.#handshakes.delete(socket);
      });
    this.#handshakes.set(socket, { settled, giveUp: () => first.resolve(null) });
  }

  /** Closes every connection and marks the agents offline, as long as the database is available. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const [socket, { giveUp }] of this.#handshakes) {
      socket.close(goingAway, "shutting down");
      giveUp();
    }
    this.#deps.connections.closeAll(goingAway, "shutting down");
    // A connection that has already marked its agent online ends like the others.
    await Promise.all([...this.#handshakes.values()].map(({ settled }) => settled));
    this.#liveness.stop();
    await Promise.all(this.#disconnects);
  }

  /** Null when the socket was refused and closed. */
  async #handshake(
    socket: WebSocket,
    facts: RequestFacts,
    firstMessage: Promise<Uint8Array | null>,
  ): Promise<Connection | null> {
    const deps = this.#deps;
    const refuse = (code: number, reason: string) => {
      socket.close(code, reason);
      return null;
    };
    const admission = await deps.admit(facts);
    if ("refusal" in admission) {
      const { reason } = admission.refusal;
      if (reason === "rate_limited") return refuse(closeCodes.tooMany, "too many connects");
      if (reason === "ip_denied") return refuse(closeCodes.refused, "address not allowed");
      return refuse(closeCodes.unauthorized, reason === "bad_token" ? "invalid agent token" : "project archived");
    }
    const { identity } = admission;
    const message = await firstMessage;
    const parsed = message === null ? null : parseHello(message);
    if (parsed === null || !parsed.ok) return refuse(closeCodes.malformedHello, "no well-formed hello");
    const hello = parsed.payload;
    if (hello.protocol_version !== protocolVersion)
      return refuse(closeCodes.protocolUnsupported, "protocol version unsupported");
    this.#warnAboutVersion(identity, hello);
    if (!(await deps.connected(identity, hello, deps.clock.now())))
      return refuse(closeCodes.unauthorized, "invalid agent token");
    const connection = new Connection(deps, { socket, identity, hello, secret: deps.secretOf(identity.project_id) });
    socket.send(this.#helloAck(connection, hello));
    if (!deps.connections.register(connection)) return refuse(closeCodes.tooMany, "too many connections of this agent");
    try {
      if (!(await deps.isStillAdmitted(identity))) {
        deps.connections.unregister(connection);
        return refuse(closeCodes.revoked, "revoked or archived");
      }
      await deps.workerConnected(identity, hello, connection.connectedAt);
      // Nothing is claimed for a socket that has closed in the meantime.
      await deps.giveWaiting(connection);
    } catch (error) {
      this.#end(connection, identity);
      throw error;
    }
    this.#liveness.watch(socket, connection, () => this.#end(connection, identity));
    return connection;
  }

  #helloAck({ agentId, projectId, sessionId }: Connection, hello: HelloPayload): Buffer {
    const ack = {
      protocol_version: hello.protocol_version,
      brain_version: this.#deps.brainVersion,
      agent_id: agentId,
      project_id: projectId,
      session_id: sessionId,
      heartbeat_interval_seconds: heartbeatSeconds,
      max_frame_size_bytes: this.#deps.maxFrameBytes,
    };
    return Buffer.from(encodeHelloAck(ack, this.#deps.clock.now()));
  }

  #end(connection: Connection, identity: AgentIdentity): void {
    const { connections } = this.#deps;
    const isReplaced = !connections.unregister(connection);
    if (!isReplaced) this.#deps.ended(identity.agent_id);
    const isLast = connections.ofAgent(identity.agent_id).length === 0;
    const note = this.#deps
      .disconnected(identity, connection.workerId, connection.connectedAt, isLast)
      .catch((error: Error) => this.#disconnectNotNoted({ message: error.message }))
      .finally(() => this.#disconnects.delete(note));
    this.#disconnects.add(note);
  }

  #warnAboutVersion(identity: AgentIdentity, hello: HelloPayload): void {
    const verdict = compareVersions(hello.agent_version, this.#deps.brainVersion);
    if (verdict === "fine" || verdict === "unknown") return;
    this.#deps.agentLogs.versionSkew(identity.agent_id, { verdict, agent_version: hello.agent_version });
  }
}
