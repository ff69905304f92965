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

/** Unacknowledged bytes on their way at most; the brain's own queue is bounded as well. */
const inFlightBytes = 8 * 1024 * 1024;
/** Bytes handed to the socket before it is given time to write. */
const stepBytes = 1024 * 1024;

/** One WebSocket connection (spec part 3, sections 1.1 and 1.3). */
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
 * From dialling to the closed socket. Until hello_ack nothing is signed; afterwards entries flow from the drain as the socket takes
 * them, vitals follow the interval of hello_ack, and whatever goes wrong ends in `#close` with the reaction it asks for.
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
  /** Closed by our own wish: commands that the brain sent before it knows are still taken. */
  #isLeaving = false;
  /** What hello said that the adapters can do, and what they could do at the last beat. */
  #capabilities = { said: "", seen: "" };
  #isPongDue = false;
  /** Answers to commands on their way, by the number of the ping behind them: its pong says that they have arrived. */
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

  /** A fault of our own in a socket's callback ends the session, not the host process. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#context.log.error("the agent has a fault", { reason: reasonOf(error) });
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
      this.#close({ family: "protocol", reason: `no hello_ack: ${parsed.message}` });
      return;
    }
    const { payload } = parsed;
    if (payload.protocol_version !== protocolVersion) {
      this.#close({ family: "protocol", reason: "hello_ack of another protocol version" });
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
        this.#lookAtCapabilities();
        void this.#beat();
      }),
      every(clock, wireTimes.agentPingMs, () => this.#ping()),
      every(clock, wireTimes.ackSweepMs, () => {
        const overdue = drain.releaseOverdue();
        if (overdue > 0) log.warn("the brain did not acknowledge batches in time; they are sent again", { overdue });
        this.#pump();
      }),
    );
    void this.#beat();
    this.#pump();
  }

  /** Only a hello tells what the adapters can do. When that is another for a whole interval, a new one is due. */
  #lookAtCapabilities(): void {
    const { said, seen } = this.#capabilities;
    const present = JSON.stringify(this.#context.hello().capabilities);
    this.#capabilities.seen = present;
    if (present === said || present !== seen) return;
    this.#leave({ family: "transient", reason: "what the adapters can do has changed", isRenewal: true });
  }

  /** Hands due entries to the socket, a step at a time; the next step follows when this one is written. */
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

  /** Pongs come in order, and one may stand for earlier ones. The brain acknowledges batches alone: of answers this is all there is. */
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
      this.#context.log.error("a heartbeat could not be made", { reason: reasonOf(error) });
    } finally {
      this.#isBeating = false;
    }
  }

  /** A ping whose pong is still due when the next one is to be sent has waited for the whole pong limit. */
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
    // The peer also repeats our own 1009, sent when its message was too big for us.
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
