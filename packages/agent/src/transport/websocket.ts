import {
  closeCodes,
  closeReaction,
  createSigner,
  encodeHello,
  type HelloAckPayload,
  parseHelloAck,
  protocolVersion,
  type SessionIds,
  type Signer,
  wireLimits,
  wireTimes,
} from "@svc/protocol";
import { WebSocket } from "ws";
import { roundEntries } from "../buffer/drain.ts";
import type { BufferEntry } from "../buffer/entry.ts";
import { frameId } from "../events/frame-builder.ts";
import { every } from "../runtime/clock.ts";
import { reasonOf } from "../runtime/log.ts";
import { familyOfStatus } from "./backoff.ts";
import { type Ending, envelopeBytes, Inbound, type RunSession, type SessionContext } from "./session.ts";

/** Maximum unacknowledged bytes in flight. The brain's queue is bounded too. */
const inFlightBytes = 8 * 1024 * 1024;
/** Bytes passed to the socket before it gets time to write. */
const stepBytes = 1024 * 1024;

/** One WebSocket connection. */
export const runWebSocketSession: RunSession = (context, signal) =>
  new Promise((resolve) => {
    const stop = (): void => session.stop();
    const session = new WebSocketSession(context, (ending) => {
      signal.removeEventListener("abort", stop);
      resolve(ending);
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });

/**
 * A session from connecting to the closed socket. Nothing is signed before hello_ack. Then entries flow from the drain as fast as the socket
 * accepts them, and vitals follow the interval of hello_ack. Every error ends in `#close` with its reaction.
 */
class WebSocketSession {
  #context: SessionContext;
  #resolve: (ending: Ending) => void;
  #socket: WebSocket;
  #ending: Ending | undefined;
  #status: number | undefined;
  #fault: string | undefined;
  #signer: Signer | undefined;
  #inbound: Inbound | undefined;
  #maxFrameBytes: number = wireLimits.frameBytes;
  #isPumping = false;
  #isBeating = false;
  /** The agent is closing the connection. Commands that the brain sent before it noticed are still accepted. */
  #isLeaving = false;
  /** Capabilities as sent in hello, and as found at the last heartbeat. */
  #capabilities = { said: "", seen: "" };
  #isPongDue = false;
  /** Command replies in flight with the number of the ping sent after them. Its pong confirms their arrival. */
  #answers: { readonly ping: number; readonly entries: readonly BufferEntry[] }[] = [];
  #pings = 0;
  #cancels: (() => void)[] = [];

  constructor(context: SessionContext, resolve: (ending: Ending) => void) {
    const { settings, clock } = context;
    this.#context = context;
    this.#resolve = resolve;
    this.#socket = new WebSocket(settings.endpoints.socket, {
      headers: { authorization: `Bearer ${settings.token}` },
      followRedirects: false,
      perMessageDeflate: false,
      maxPayload: wireLimits.frameBytes,
    });
    this.#cancels.push(
      clock.after(wireTimes.helloAckMs, () => this.#close({ family: "transient", reason: "no hello_ack within 10 s" })),
    );
    this.#socket.on("upgrade", (response) => response.socket.unref());
    this.#socket.on("open", () => this.#guard(() => this.#greet()));
    this.#socket.on("message", (data) => this.#guard(() => this.#take(data as Buffer)));
    this.#socket.on("pong", (data) => this.#guard(() => this.#takePong(data.toString())));
    this.#socket.on("unexpected-response", (request, response) => {
      this.#status = response.statusCode;
      request.destroy();
      this.#finish(1006, "");
    });
    this.#socket.on("error", (error) => {
      this.#fault = reasonOf(error);
    });
    this.#socket.on("close", (code, reason) => this.#finish(code, reason.toString()));
  }

  stop(): void {
    this.#leave({ family: "transient", reason: "stopped" });
  }

  #leave(ending: Ending): void {
    this.#isLeaving = true;
    this.#close(ending);
  }

  /** An internal error in a socket callback ends the session, not the host process. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#context.log.error("internal error in the agent", { reason: reasonOf(error) });
      this.#close({ family: "transient", reason: reasonOf(error) });
    }
  }

  #greet(): void {
    const hello = this.#context.hello();
    this.#capabilities.said = JSON.stringify(hello.capabilities);
    this.#socket.send(encodeHello(hello, { id: frameId("ev"), now: new Date(this.#context.clock.nowMs()) }));
  }

  #take(message: Buffer): void {
    if (this.#ending !== undefined && !(this.#isLeaving && this.#inbound !== undefined)) return;
    if (this.#inbound === undefined) {
      this.#takeHelloAck(message);
      return;
    }
    const judged = this.#inbound.judge(message);
    if (judged.verdict === "fatal") {
      this.#close({ family: "auth", reason: judged.reason }, closeCodes.refused);
      return;
    }
    if (judged.verdict === "frame") this.#context.receive(judged.frame);
    this.#pump();
  }

  #takeHelloAck(message: Buffer): void {
    const parsed = parseHelloAck(message);
    if (!parsed.ok) {
      this.#close({ family: "protocol", reason: `invalid hello_ack: ${parsed.message}` });
      return;
    }
    const { payload } = parsed;
    if (payload.protocol_version !== protocolVersion) {
      this.#close({ family: "protocol", reason: "hello_ack has another protocol version" });
      return;
    }
    const session = { agentId: payload.agent_id, projectId: payload.project_id, sessionId: payload.session_id };
    try {
      this.#context.opened({ ...session, brainVersion: payload.brain_version });
    } catch (error) {
      this.#close({ family: "auth", reason: reasonOf(error) });
      return;
    }
    this.#begin(session, payload);
  }

  #begin(session: SessionIds, ack: HelloAckPayload): void {
    const { secret, clock, dispatch, onStored, drain, log } = this.#context;
    this.#signer = createSigner({ secret, session, now: () => new Date(clock.nowMs()) });
    this.#inbound = new Inbound(session, this.#context);
    this.#maxFrameBytes = dispatch.frameLimitBytes(ack.max_frame_size_bytes);
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#cancels.push(
      onStored(() => this.#pump()),
      every(clock, ack.heartbeat_interval_seconds * 1000, () => {
        this.#checkCapabilities();
        void this.#beat();
      }),
      every(clock, wireTimes.agentPingMs, () => this.#ping()),
      every(clock, wireTimes.ackSweepMs, () => {
        const overdue = drain.releaseOverdue();
        if (overdue > 0) log.warn("the brain did not acknowledge batches in time, sending them again", { overdue });
        this.#pump();
      }),
    );
    void this.#beat();
    this.#pump();
  }

  /** Capabilities are sent in hello only. When they differ for a whole interval, the agent reconnects to send a new hello. */
  #checkCapabilities(): void {
    const { said, seen } = this.#capabilities;
    const present = JSON.stringify(this.#context.hello().capabilities);
    this.#capabilities.seen = present;
    if (present === said || present !== seen) return;
    this.#leave({ family: "transient", reason: "the capabilities of the adapters changed", isRenewal: true });
  }

  /** Passes due entries to the socket step by step. The next step follows when this one is written. */
  #pump(): void {
    const { drain } = this.#context;
    if (this.#isPumping || this.#signer === undefined || this.#ending !== undefined) return;
    const maxEntries = roundEntries - drain.inFlightCount;
    if (maxEntries <= 0 || drain.inFlightBytes >= inFlightBytes) return; // the next ack calls again
    const entries = drain.take({ maxEntries, maxBytes: stepBytes });
    if (entries.length === 0) return;
    this.#isPumping = true;
    for (const entry of entries) this.#send(entry);
    const answers = entries.filter(({ type }) => type !== "event_batch");
    if (answers.length > 0) {
      this.#pings += 1;
      this.#answers.push({ ping: this.#pings, entries: answers });
      this.#socket.ping(String(this.#pings));
    }
    setImmediate(() => this.#guard(() => this.#afterStep()));
  }

  #afterStep(): void {
    if (this.#socket.bufferedAmount > stepBytes && this.#ending === undefined) {
      this.#context.clock.after(5, () => this.#afterStep());
      return;
    }
    this.#isPumping = false;
    this.#pump();
  }

  #send(entry: BufferEntry): void {
    if (this.#signer === undefined) return;
    if (entry.sizeBytes + envelopeBytes > this.#maxFrameBytes) {
      this.#context.dispatch.tooLarge(entry);
      return;
    }
    this.#socket.send(this.#signer.signText(entry.type, entry.payload, entry.frameId));
  }

  /** Pongs arrive in order, and one may confirm several pings. They are the only confirmation of command replies, since the brain acknowledges batches only. */
  #takePong(number: string): void {
    this.#isPongDue = false;
    while (this.#answers[0] !== undefined && this.#answers[0].ping <= Number(number)) {
      for (const entry of this.#answers.shift()?.entries ?? []) this.#context.drain.confirm(entry);
    }
    this.#pump();
  }

  async #beat(): Promise<void> {
    if (this.#isBeating || this.#ending !== undefined) return;
    this.#isBeating = true;
    try {
      for (const { type, id, payload } of await this.#context.vitals(this.#maxFrameBytes - envelopeBytes)) {
        if (this.#ending === undefined) this.#socket.send(this.#signer?.sign(type, payload, id) ?? "");
      }
    } catch (error) {
      this.#context.log.error("could not create a heartbeat", { reason: reasonOf(error) });
    } finally {
      this.#isBeating = false;
    }
  }

  /** A ping whose pong is missing when the next one is due has exceeded the pong limit. */
  #ping(): void {
    if (this.#isPongDue) {
      this.#ending ??= { family: "transient", reason: "no pong within 60 s" };
      this.#socket.terminate();
      return;
    }
    this.#isPongDue = true;
    this.#socket.ping();
  }

  #close(ending: Ending, code: number = closeCodes.clean): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.close(code);
      this.#context.clock.after(wireTimes.agentCloseMs, () => this.#socket.terminate());
    } else {
      this.#socket.terminate();
    }
  }

  #finish(code: number, reason: string): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
    // The peer also echoes our own 1009, which we send when its message was too big.
    if (code === closeCodes.messageTooBig && this.#fault === undefined) this.#context.dispatch.refusedAsTooBig();
    this.#context.drain.release();
    this.#resolve(this.#ending ?? this.#endingOf(code, reason));
  }

  #endingOf(code: number, reason: string): Ending {
    if (this.#status !== undefined) {
      return { family: familyOfStatus(this.#status), reason: "the brain refused the WebSocket", code: this.#status };
    }
    const fault = this.#fault ?? (reason === "" ? "the connection closed" : reason);
    return { family: closeReaction(code), reason: fault, code };
  }
}
