import { closeCodes, wireTimes } from "@svc/protocol";
import type { WebSocket } from "ws";
import type { Clock } from "../../../platform/clock.ts";
import type { Connection } from "./connection.ts";

interface Watched {
  readonly socket: WebSocket;
  readonly connection: Connection;
  /** Once; later calls do nothing. */
  ended(): void;
  pingedMs: number;
  pongedMs: number;
}

const tickMs = 1000;
/**
 * An agent waits 90 s for a missing ack, but resends everything when it reconnects. Its connection is closed this long after its last
 * batch or reply to a command that could not be stored: an agent that continues to send stays connected until the outage is over, a silent one reconnects with
 * its backoff.
 */
const unstoredMs = 5000;

/** Watches open connections every second: pings them, and closes those that are idle, do not answer, or wait for an ack that cannot come. */
export class Liveness {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #idleMs: number;
  readonly #watched = new Set<Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(clock: Pick<Clock, "monotonicMs">, idleMs: number) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#timer = setInterval(() => this.checkAll(), tickMs);
    this.#timer.unref();
  }

  /** @param onEnd is called once, when the socket has closed or the watch stops. */
  watch(socket: WebSocket, connection: Connection, onEnd: () => void): void {
    const ended = () => {
      if (this.#watched.delete(entry)) onEnd();
    };
    const entry: Watched = { socket, connection, ended, pingedMs: 0, pongedMs: this.#clock.monotonicMs() };
    this.#watched.add(entry);
    socket.on("pong", () => {
      entry.pongedMs = this.#clock.monotonicMs();
    });
    socket.on("close", ended);
    if (socket.readyState !== socket.OPEN) ended();
  }

  /** The check that runs every second. */
  checkAll(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const entry of this.#watched) this.#check(entry, nowMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const { ended } of this.#watched) ended();
  }

  #check(entry: Watched, nowMs: number): void {
    const { socket, connection } = entry;
    const lastUnstoredMs = connection.lastUnstoredMs();
    if (connection.isHeldByIngest()) {
      // The brain has paused this socket: its frames and pongs wait in the socket's buffers.
      connection.touch();
      entry.pongedMs = nowMs;
    } else if (lastUnstoredMs !== null && nowMs - lastUnstoredMs > unstoredMs) {
      connection.close(closeCodes.internalError, "frames were not stored; send them again");
    } else if (nowMs - connection.lastActiveMs() > this.#idleMs) {
      connection.close(closeCodes.idle, "idle");
    } else if (entry.pingedMs > entry.pongedMs) {
      if (nowMs - entry.pingedMs > wireTimes.brainPongMs) socket.terminate();
    } else if (nowMs - Math.max(entry.pingedMs, entry.pongedMs) > wireTimes.brainPingMs) {
      entry.pingedMs = nowMs;
      socket.ping();
    }
  }
}
