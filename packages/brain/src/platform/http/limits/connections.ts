import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../../clock.ts";
import { minutes } from "../../durations.ts";
import {
  type AddressNetworks,
  type AddressRange,
  inRanges,
  networksOf,
  normalizeAddress,
} from "../connections/addresses.ts";
import { createCrowds } from "./crowds.ts";

/** Milliseconds that a client has for its part of an exchange. */
export interface ClientTimes {
  /** To send all headers of a request, from the connection or the first byte. */
  readonly headersMs: number;
  /** To send a whole request. */
  readonly requestMs: number;
  /** To send the next request on the same connection. */
  readonly keepAliveMs: number;
  /** To take any part of an answer that waits to be sent. */
  readonly stallMs: number;
  /** To take the rest of answers that are complete. */
  readonly takeMs: number;
  /** To end requests in progress when the server closes. */
  readonly drainMs: number;
  /** Between two checks of the times above. */
  readonly checkMs: number;
}

export const clientTimes: ClientTimes = {
  headersMs: 10_000,
  requestMs: 30_000,
  // Longer than the 60 s for which proxies usually keep connections, so that they are the ones who close them.
  keepAliveMs: 72_000,
  stallMs: minutes(1),
  takeMs: minutes(10),
  drainMs: 5000,
  checkMs: 1000,
};

export interface ConnectionGuardDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Connections that may be open. */
  readonly maxConnections: number;
  /** Peers whose connections are never closed to make room. */
  readonly trustedProxies: readonly AddressRange[];
  readonly times: ClientTimes;
  /** Called when connections were closed to make room. */
  readonly onFull: (closed: { count: number; network: string }) => void;
}

interface Connection {
  readonly socket: Socket;
  readonly networks: AddressNetworks;
  readonly isTrusted: boolean;
  isUpgraded: boolean;
  /** The newest request and its answer, until both are complete. */
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse } | null;
  /** Requests without a complete answer. */
  unanswered: number;
  /** While requests are unanswered: bytes wait for the client to read them. */
  isUnread: boolean;
  /** When the server last began to wait for the client. */
  sinceMs: number;
}

/** Requests that a client may send ahead of their answers; browsers and agents send one. */
const maxPipelined = 32;
/** An upgraded connection that its route refuses ends within this time. */
const upgradeMs = 20_000;
/** A full server also checks its connections when this share of them is new, so that a flood cannot replace its own connections between two checks. */
const newPerCheck = 1 / 10;

/**
 * Limits the connections of a server. When it is full, connections that wait for their client (for a request, the rest of one, or for the
 * client to read an answer) are closed, first in the network with the most of them. A connection whose request is in progress is kept while
 * its client reads.
 */
export class ConnectionGuard {
  #server: Server;
  #deps: ConnectionGuardDeps;
  #open = new Map<Duplex, Connection>();
  #waiting = createCrowds<Connection>();
  /** Since the last check. */
  #newConnections = 0;

  constructor(server: Server, deps: ConnectionGuardDeps) {
    this.#server = server;
    this.#deps = deps;
    // The newest connection is accepted before one is chosen to be closed.
    server.maxConnections = deps.maxConnections + 1;
    server.setTimeout(deps.times.stallMs);
    server.on("connection", (socket: Socket) => this.#accept(socket));
    server.prependListener("request", (request, response) => this.#begin(request, response));
    server.on("upgrade", (_request, socket) => {
      const connection = this.#open.get(socket);
      if (connection === undefined) return;
      connection.isUpgraded = true;
      this.#waitForClient(connection);
    });
    // Node reports every connection without traffic for a while, even if the server is still producing the answer.
    server.on("timeout", (socket: Socket) => {
      const connection = this.#open.get(socket);
      const isOurTurn = connection !== undefined && connection.unanswered > 0 && connection.exchange?.request.complete;
      if (!isOurTurn || socket.writableLength > 0) socket.destroy();
    });
    const timer = setInterval(() => this.#check(), deps.times.checkMs);
    timer.unref();
    server.once("close", () => clearInterval(timer));
  }

  /** False when an answer to the request being received has already begun: the client would take another one for the next answer. */
  isAnswerable(socket: Duplex): boolean {
    const exchange = this.#open.get(socket)?.exchange;
    return exchange == null || exchange.request.complete || !exchange.response.headersSent;
  }

  /** Before the server closes: ends connections without a request now, and all others after a grace. */
  drain(): void {
    // Node ends idle connections that had a request before, but waits without bound for those that have had none, for requests that do
    // not end, and for sockets that were upgraded.
    for (const connection of this.#open.values()) {
      const { isUpgraded, unanswered, socket } = connection;
      if (!isUpgraded && unanswered === 0 && socket.writableLength === 0) this.#drop(connection);
    }
    const graceTimer = setTimeout(() => {
      for (const { socket } of this.#open.values()) socket.destroy();
    }, this.#deps.times.drainMs);
    this.#server.once("close", () => clearTimeout(graceTimer));
  }

  #accept(socket: Socket): void {
    const { trustedProxies, maxConnections } = this.#deps;
    const address = (socket.remoteAddress === undefined ? null : normalizeAddress(socket.remoteAddress)) ?? "unknown";
    const connection: Connection = {
      socket,
      networks: networksOf(address),
      isTrusted: inRanges(address, trustedProxies),
      isUpgraded: false,
      exchange: null,
      unanswered: 0,
      isUnread: false,
      sinceMs: 0,
    };
    this.#open.set(socket, connection);
    socket.once("close", () => this.#forget(connection));
    this.#waitForClient(connection);
    this.#newConnections += 1;
    if (this.#open.size > maxConnections) this.#closeSurplus(connection);
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    if (connection.unanswered === 0) connection.isUnread = connection.socket.writableLength > 0;
    connection.unanswered += 1;
    if (connection.unanswered > maxPipelined) {
      this.#drop(connection);
      return;
    }
    const exchange = { request, response };
    connection.exchange = exchange;
    if (announcesBody(request)) {
      this.#waitForClient(connection);
      request.once("end", () => {
        if (connection.unanswered > 0) this.#workOn(connection);
      });
    } else {
      this.#workOn(connection);
    }
    // The answer is complete; its client may still have to read it.
    response.once("prefinish", () => {
      connection.unanswered -= 1;
      if (connection.exchange === exchange && request.complete) connection.exchange = null;
      if (connection.unanswered === 0) this.#waitForClient(connection);
    });
  }

  #closeSurplus(newest: Connection): void {
    const { maxConnections, onFull } = this.#deps;
    if (this.#newConnections >= maxConnections * newPerCheck) this.#check();
    const surplus = this.#waiting.surplus();
    for (const connection of surplus) this.#drop(connection);
    if (surplus.length === 0) this.#drop(newest);
    const { networks } = surplus[0] ?? newest;
    onFull({ count: Math.max(1, surplus.length), network: networks.allocation });
  }

  #drop(connection: Connection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection.socket);
    this.#waiting.remove(connection);
  }

  #waitForClient(connection: Connection): void {
    connection.sinceMs = this.#deps.clock.monotonicMs();
    if (!connection.isTrusted && this.#open.has(connection.socket)) this.#waiting.add(connection);
  }

  /** Its request is complete, so only unread answers can keep the connection waiting for its client. */
  #workOn(connection: Connection): void {
    if (!connection.isUnread) this.#waiting.remove(connection);
  }

  /** No event reports that a client does not read. Bytes wait only once the buffers of the operating system are full. */
  #checkReader(connection: Connection): void {
    const isUnread = connection.socket.writableLength > 0;
    if (isUnread === connection.isUnread) return;
    connection.isUnread = isUnread;
    if (isUnread) this.#waitForClient(connection);
    else if (connection.exchange?.request.complete) this.#waiting.remove(connection);
  }

  /** Closes connections that clients keep alive with single bytes: Node measures only the time since the last byte. */
  #check(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#newConnections = 0;
    for (const connection of this.#open.values()) {
      if (connection.isUpgraded) {
        if (nowMs - connection.sinceMs > upgradeMs) this.#waiting.remove(connection);
        continue;
      }
      if (connection.unanswered > 0) this.#checkReader(connection);
      if (nowMs - connection.sinceMs > this.#boundOf(connection)) this.#drop(connection);
    }
  }

  /** How long the client may take. A streamed answer may take any time while it makes progress. */
  #boundOf({ socket, unanswered, exchange, isUnread }: Connection): number {
    const { keepAliveMs, headersMs, takeMs } = this.#deps.times;
    if (unanswered === 0) return socket.writableLength === 0 ? keepAliveMs + headersMs : takeMs;
    return isUnread && exchange?.response.writableEnded ? takeMs : Number.POSITIVE_INFINITY;
  }
}

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
