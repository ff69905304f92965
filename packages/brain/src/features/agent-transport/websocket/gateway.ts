import { closeCodes, encodeHelloAck, type HelloPayload, parseHello, protocolVersion, wireTimes } from "@svc/protocol";
import type { WebSocket } from "ws";
import type { Log } from "../../../platform/log.ts";
import { createThrottledLog } from "../../../platform/throttled-log.ts";
import type { AgentIdentity } from "../../agents/index.ts";
import type { Admit, RequestFacts } from "../admission.ts";
import { compareVersions } from "../versions.ts";
import { type Connection, type ConnectionDeps, createConnection } from "./connection.ts";
import type { Connections } from "./connections.ts";

export interface GatewayDeps extends ConnectionDeps {
  readonly log: Log;
  readonly admit: Admit;
  readonly connections: Connections;
  readonly brainVersion: string;
  readonly maxFrameBytes: number;
  readonly idleMs: number;
  /** Wait for the first frame; 10 s unless a test says otherwise. */
  readonly helloMs?: number;
  secretOf(projectId: string): Uint8Array;
  /** Marks the agent online, on condition that it is not revoked; false otherwise. */
  connected(identity: AgentIdentity, hello: HelloPayload, at: Date): Promise<boolean>;
  /** Writes the worker process row of the connection. */
  workerConnected(identity: AgentIdentity, hello: HelloPayload, at: Date): Promise<void>;
  /** Whether the agent is still unrevoked and its project active, asked of the database. */
  isStillAdmitted(identity: AgentIdentity): Promise<boolean>;
  /** The connection ended; `isLast` when it was the agent's last connection here. */
  disconnected(identity: AgentIdentity, workerId: string | null, connectedAt: Date, isLast: boolean): Promise<void>;
  /** Gives the connection what waits for it, oldest first. */
  giveWaiting(connection: Connection): Promise<void>;
}

const tickMs = 1000;
/**
 * An agent waits 90 s for an ack that does not come, but sends everything again when it connects. It is told to this long after its last
 * batch that could not be stored: one that goes on sending stays until the outage is over, one that fell silent knocks with its backoff.
 */
const unstoredMs = 5000;
const heartbeatSeconds = 10;
/** Close code of a server that stops (RFC 6455, 7.4.1). */
const goingAway = 1001;

interface Watched {
  readonly socket: WebSocket;
  readonly connection: Connection;
  /** Once; later calls do nothing. */
  ended(): void;
  pingedMs: number;
  pongedMs: number;
}

/** The WebSocket side of the agent transport: the handshake of spec part 3, section 1.3, step by step, then the receive loop. */
export function createGateway(deps: GatewayDeps) {
  const { clock, log, connections, helloMs = wireTimes.helloMs } = deps;
  const watched = new Set<Watched>();
  /** Disconnects that are being written. */
  const notes = new Set<Promise<void>>();
  /** Sockets whose handshake is under way. */
  const shaking = new Map<WebSocket, { giveUp(): void; readonly settled: Promise<void> }>();
  let isStopping = false;
  // While the database is away every handshake fails, and agents try again.
  const handshakeFailed = createThrottledLog(clock, (handshakes, about) =>
    log.error("agent_transport.handshake_failed", { handshakes, ...about }),
  );
  const disconnectNotNoted = createThrottledLog(clock, (disconnects, about) =>
    log.warn("agent_transport.disconnect_not_noted", { disconnects, ...about }),
  );
  const timer = setInterval(watchAll, tickMs);
  timer.unref();

  function watchAll(): void {
    const nowMs = clock.monotonicMs();
    for (const entry of watched) watch(entry, nowMs);
  }

  function watch(entry: Watched, nowMs: number): void {
    const { socket, connection } = entry;
    const lastUnstoredMs = connection.lastUnstoredMs();
    if (connection.isHeldByIngest()) {
      // We hold it back ourselves: what it says, pongs included, waits in its buffers.
      connection.touch();
      entry.pongedMs = nowMs;
    } else if (lastUnstoredMs !== null && nowMs - lastUnstoredMs > unstoredMs) {
      connection.close(closeCodes.internalError, "events were not stored; send them again");
    } else if (nowMs - connection.lastActiveMs() > deps.idleMs) {
      connection.close(closeCodes.idle, "idle");
    } else if (entry.pingedMs > entry.pongedMs) {
      if (nowMs - entry.pingedMs > wireTimes.brainPongMs) socket.terminate();
    } else if (nowMs - Math.max(entry.pingedMs, entry.pongedMs) > wireTimes.brainPingMs) {
      entry.pingedMs = nowMs;
      socket.ping();
    }
  }

  async function handshake(
    socket: WebSocket,
    facts: RequestFacts,
    firstMessage: Promise<Uint8Array | null>,
  ): Promise<Connection | null> {
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
    warnAboutVersion(identity, hello);
    if (!(await deps.connected(identity, hello, clock.now())))
      return refuse(closeCodes.unauthorized, "invalid agent token");
    const connection = createConnection(deps, { socket, identity, hello, secret: deps.secretOf(identity.project_id) });
    socket.send(
      Buffer.from(
        encodeHelloAck(
          {
            protocol_version: hello.protocol_version,
            brain_version: deps.brainVersion,
            agent_id: identity.agent_id,
            project_id: identity.project_id,
            session_id: connection.sessionId,
            heartbeat_interval_seconds: heartbeatSeconds,
            max_frame_size_bytes: deps.maxFrameBytes,
          },
          clock.now(),
        ),
      ),
    );
    if (!connections.register(connection)) return refuse(closeCodes.tooMany, "too many connections of this agent");
    try {
      if (!(await deps.isStillAdmitted(identity))) {
        connections.unregister(connection);
        return refuse(closeCodes.revoked, "revoked or archived");
      }
      await deps.workerConnected(identity, hello, connection.connectedAt);
      // Nothing is claimed for a socket that has gone meanwhile.
      await deps.giveWaiting(connection);
    } catch (error) {
      endConnection(connection, identity);
      throw error;
    }
    watchUntilClosed(socket, connection, identity);
    return connection;
  }

  function endConnection(connection: Connection, identity: AgentIdentity): void {
    connections.unregister(connection);
    const isLast = connections.ofAgent(identity.agent_id).length === 0;
    const note = deps
      .disconnected(identity, connection.workerId, connection.connectedAt, isLast)
      .catch((error: Error) => disconnectNotNoted({ message: error.message }))
      .finally(() => notes.delete(note));
    notes.add(note);
  }

  function warnAboutVersion(identity: AgentIdentity, hello: HelloPayload): void {
    const verdict = compareVersions(hello.agent_version, deps.brainVersion);
    if (verdict === "fine" || verdict === "unknown") return;
    deps.agentLogs.versionSkew(identity.agent_id, { verdict, agent_version: hello.agent_version });
  }

  function watchUntilClosed(socket: WebSocket, connection: Connection, identity: AgentIdentity): void {
    const ended = () => {
      if (watched.delete(entry)) endConnection(connection, identity);
    };
    const entry: Watched = { socket, connection, ended, pingedMs: 0, pongedMs: clock.monotonicMs() };
    watched.add(entry);
    socket.on("pong", () => {
      entry.pongedMs = clock.monotonicMs();
    });
    socket.on("close", ended);
    if (socket.readyState !== socket.OPEN) ended();
  }

  return {
    /** Takes over an accepted socket. Messages that arrive before their turn wait, with the socket paused. */
    accept(socket: WebSocket, facts: RequestFacts): void {
      if (isStopping) {
        socket.close(goingAway, "shutting down");
        return;
      }
      const early: Uint8Array[] = [];
      let connection: Connection | null = null;
      let gotFirst: (message: Uint8Array | null) => void = () => {};
      const firstMessage = new Promise<Uint8Array | null>((resolve) => {
        gotFirst = resolve;
      });
      const helloTimer = setTimeout(() => gotFirst(null), helloMs);
      let hasFirst = false;
      let isRefused = false;
      socket.on("error", (error) => log.debug("agent_transport.socket_error", { message: error.message }));
      socket.on("close", () => gotFirst(null));
      socket.on("message", (data: Buffer) => {
        if (isRefused) return;
        if (connection !== null) {
          connection.receive(data);
          return;
        }
        if (!hasFirst) {
          hasFirst = true;
          clearTimeout(helloTimer);
          gotFirst(data);
        } else {
          early.push(data);
        }
        socket.pause();
      });
      const settled = handshake(socket, facts, firstMessage)
        .then((opened) => {
          connection = opened;
          isRefused = opened === null;
          // A paused socket would not see the other side's answer to our close frame.
          socket.resume();
          if (opened === null) return;
          for (const message of early.splice(0)) opened.receive(message);
        })
        .catch((error: Error) => {
          handshakeFailed({ message: error.message });
          isRefused = true;
          socket.close(closeCodes.internalError, "internal error");
          socket.resume();
        })
        .finally(() => {
          clearTimeout(helloTimer);
          shaking.delete(socket);
        });
      shaking.set(socket, { settled, giveUp: () => gotFirst(null) });
    },
    connections: () => connections.count(),
    /** Looks at idle limits and pings of all connections now, as happens every second. For tests. */
    watchNow: watchAll,
    /** Closes every connection and writes that their agents are gone, while there is a database to write it to. */
    async stop(): Promise<void> {
      clearInterval(timer);
      isStopping = true;
      for (const [socket, { giveUp }] of shaking) {
        socket.close(goingAway, "shutting down");
        giveUp();
      }
      connections.closeAll(goingAway, "shutting down");
      // One that has already said that its agent is online ends like the others.
      await Promise.all([...shaking.values()].map(({ settled }) => settled));
      for (const { ended } of watched) ended();
      await Promise.all(notes);
    },
  };
}

export type Gateway = ReturnType<typeof createGateway>;
