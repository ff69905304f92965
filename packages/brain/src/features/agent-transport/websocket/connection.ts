import { randomUUID } from "node:crypto";
import {
  ackIdOf,
  brainErrorCodes,
  closeCodes,
  createReplayGuard,
  createSigner,
  createVerifier,
  type HelloPayload,
  type RefusedFrame,
  type ReplayGuard,
  type SignedFrameType,
  type Signer,
  type Verifier,
  wireLimits,
} from "@svc/protocol";
import type { WebSocket } from "ws";
import type { Clock } from "../../../platform/clock.ts";
import { type AgentIdentity, reportedCapabilities } from "../../agents/index.ts";
import type { ClaimedCommand } from "../../commands/index.ts";
import type { AgentLogs } from "../agent-logs.ts";
import {
  createLossWarnings,
  createSampleLimiter,
  type Dispatch,
  type FrameOutcome,
  type FrameSource,
  isReply,
} from "../dispatch.ts";
import type { AgentConnection, Sending } from "./connections.ts";
import { InFlight } from "./in-flight.ts";

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly agentLogs: AgentLogs;
  readonly dispatch: Dispatch;
  /** Null while the ingest queue has capacity; when it is full, resolves before the socket is read again. */
  whenIngestHasCapacity(): Promise<void> | null;
  verified(path: "fast" | "slow"): void;
  /** A connection that could take no command takes them again. */
  takesAgain(agentId: string): void;
  /** How long a command may take to leave, in milliseconds; 5 s by default. */
  readonly sendMs?: number;
}

export interface OpenConnection {
  readonly socket: WebSocket;
  readonly identity: AgentIdentity;
  readonly hello: HelloPayload;
  readonly secret: Uint8Array;
}

/** Limit of unsent bytes when an agent does not read; above it, the brain stops reading frames that need an answer. */
const maxUnsentBytes = 1_048_576;
/** Why reading the socket is paused. */
const defaultSendMs = 5000;

/** Why a socket is not read. */
type Hold = "ingest" | "reader";

/** An authenticated WebSocket after hello: verifies frames in arrival order, passes them on and signs the answers. */
export class Connection implements AgentConnection {
  readonly agentId: string;
  readonly projectId: string;
  readonly workerId: string | null;
  readonly sessionId = randomUUID();
  readonly connectedAt: Date;
  readonly capabilities: AgentConnection["capabilities"];

  readonly #deps: ConnectionDeps;
  readonly #socket: WebSocket;
  readonly #source: FrameSource;
  readonly #verifier: Verifier;
  readonly #signer: Signer;
  readonly #guard: ReplayGuard;
  readonly #inFlight: InFlight;
  #lastActiveMs: number;
  #lastUnstoredMs: number | null = null;
  /** Replies to commands that are being stored. */
  readonly #storing = new Set<Promise<void>>();
  /** A reply was not stored. The agent sends it again over its next connection, unless a pong confirms it here. */
  #hasLostReply = false;
  /** The newest ping without a pong. */
  #ping: Buffer | null = null;
  #isAnsweringPings = false;
  #hasEnded = false;
  #heldBy: Hold | null = null;
  /** A command could not be sent, and nothing has left since. */
  #isStuck = false;

  constructor(deps: ConnectionDeps, { socket, identity, hello, secret }: OpenConnection) {
    const { clock } = deps;
    const session = { agentId: identity.agent_id, projectId: identity.project_id, sessionId: this.sessionId };
    this.agentId = identity.agent_id;
    this.projectId = identity.project_id;
    this.workerId = hello.worker_id;
    this.connectedAt = clock.now();
    this.capabilities = reportedCapabilities(hello);
    this.#deps = deps;
    this.#socket = socket;
    this.#source = {
      identity,
      workerId: hello.worker_id,
      transport: "ws",
      samples: createSampleLimiter(clock),
      lossWarnings: createLossWarnings(clock, deps.agentLogs.eventsLost),
    };
    this.#verifier = createVerifier({ secret, session });
    this.#signer = createSigner({ secret, session, now: () => clock.now() });
    this.#guard = createReplayGuard({ now: () => clock.now(), monotonicMs: () => clock.monotonicMs() });
    this.#inFlight = new InFlight(clock);
    this.#lastActiveMs = clock.monotonicMs();
  }

  lastActiveMs(): number {
    return this.#lastActiveMs;
  }

  /** Counts as a frame for the idle limit, because the brain itself has paused reading the socket. */
  touch(): void {
    this.#lastActiveMs = this.#deps.clock.monotonicMs();
  }

  /** Whether the brain has paused reading the socket because its ingest queue is full. */
  isHeldByIngest(): boolean {
    return this.#heldBy === "ingest";
  }

  /** Monotonic time of the last batch that the database could not store, whose sender gets no ack; null for none. */
  lastUnstoredMs(): number | null {
    return this.#lastUnstoredMs;
  }

  // The socket still delivers frames that arrived after the one that ended the session; they are ignored.
  close(code: number, reason: string): void {
    this.#hasEnded = true;
    this.#socket.close(code, reason);
  }

  receive(message: Uint8Array): void {
    if (this.#hasEnded) return;
    this.touch();
    const judged = this.#verifier.open(message);
    if (!judged.ok) {
      this.#refuse(judged);
      this.#holdBack();
      return;
    }
    const { agentLogs } = this.#deps;
    const verdict = this.#guard.admit(judged.frame);
    if (verdict !== "ok") {
      agentLogs.replayRefused(this.agentId, { verdict });
      this.close(closeCodes.refused, "replay check failed");
      return;
    }
    this.#deps.verified(judged.path);
    // The pending answer keeps only the id of the frame: hundreds may be on their way into the database.
    const { id, type } = judged.frame;
    if (type === "command_ack") this.#inFlight.acknowledged(id);
    const answered = this.#deps
      .dispatch(this.#source, judged.frame, judged.text)
      .then((outcome) => {
        if (isReply(type) && outcome.kind === "transient") this.#hasLostReply = true;
        this.#answer(id, outcome);
      })
      .catch((error: Error) => {
        agentLogs.answerFailed(this.agentId, { message: error.message });
        this.close(closeCodes.internalError, "internal error");
      })
      .finally(() => {
        this.#storing.delete(answered);
        if (type === "command_result") this.#ended(id);
      });
    if (isReply(type)) this.#storing.add(answered);
    this.#holdBack();
  }

  /** Answers a ping when the replies before it are stored. Of several pings before that, the newest one is answered (RFC 6455, 5.5.3). */
  pinged(data: Buffer): void {
    this.#ping = data;
    if (!this.#isAnsweringPings) void this.#answerPings();
  }

  async #answerPings(): Promise<void> {
    this.#isAnsweringPings = true;
    for (let data = this.#takePing(); data !== null; data = this.#takePing()) {
      await Promise.all(this.#storing);
      if (this.#isOpen() && !this.#hasLostReply) this.#socket.pong(data);
    }
    this.#isAnsweringPings = false;
  }

  #takePing(): Buffer | null {
    const data = this.#ping;
    this.#ping = null;
    return data;
  }

  canTake(): boolean {
    if (this.#isUnread()) this.#isStuck = true;
    return !this.#isStuck && this.#isOpen() && !this.#inFlight.isFull();
  }

  async deliver(command: ClaimedCommand): Promise<Sending> {
    this.#inFlight.sent(command.id, Number(command.payload.timeout_seconds) * 1000);
    const sending = await this.#sendCommand(command);
    if (sending !== "sent") this.#ended(command.id);
    return sending;
  }

  #ended(commandId: string): void {
    if (this.#inFlight.ended(commandId)) this.#deps.takesAgain(this.agentId);
  }

  #sendCommand({ id, payload }: ClaimedCommand): Promise<Sending> {
    let frame: Buffer;
    try {
      frame = Buffer.from(this.#signer.sign("command", payload, id));
    } catch {
      return Promise.resolve("unsigned");
    }
    if (!this.#isOpen()) return Promise.resolve("failed");
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#isStuck = true;
        resolve("failed");
      }, this.#deps.sendMs ?? defaultSendMs);
      late.unref();
      this.#socket.send(frame, (error) => {
        clearTimeout(late);
        if (error != null) this.#isStuck = true;
        resolve(error == null ? "sent" : "failed");
        this.#written(error);
      });
    });
  }

  #send(type: SignedFrameType, payload: Record<string, unknown>, id: string): void {
    if (!this.#isOpen()) return;
    this.#socket.send(Buffer.from(this.#signer.sign(type, payload, id)), (error) => this.#written(error));
  }

  #sendError(frameId: string, payload: { code: string; message: string; fatal: boolean }): void {
    this.#send("error", payload, `err_${frameId}`.slice(0, wireLimits.frameIdCharacters).toWellFormed());
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #isUnread(): boolean {
    return this.#socket.bufferedAmount > maxUnsentBytes;
  }

  #written(error?: Error | null): void {
    if (this.#heldBy === "reader") this.#readOn();
    if (!this.#isStuck || error != null || this.#isUnread()) return;
    this.#isStuck = false;
    this.#deps.takesAgain(this.agentId);
  }

  #readOn(): void {
    this.#heldBy = this.#isUnread() ? "reader" : null;
    if (this.#heldBy === null) this.#socket.resume();
  }

  /**
   * Stops reading the socket while the ingest queue is full, since the agent's own buffer is the place to wait, and while the agent leaves
   * answers unread. An agent that stops reading also stops answering pings, so the ping timeout closes its connection.
   */
  #holdBack(): void {
    if (this.#heldBy !== null) return;
    const capacity = this.#deps.whenIngestHasCapacity();
    if (capacity !== null) {
      this.#heldBy = "ingest";
      void capacity.then(() => this.#readOn());
    } else if (this.#isUnread()) {
      this.#heldBy = "reader";
    } else return;
    this.#socket.pause();
  }

  #answer(id: string, outcome: FrameOutcome): void {
    if (outcome.kind === "revoked") {
      this.close(closeCodes.revoked, "revoked");
    } else if (outcome.kind === "transient") {
      if (outcome.isUnstored === true) this.#lastUnstoredMs = this.#deps.clock.monotonicMs();
    } else if (outcome.kind === "upgrade_required") {
      this.#sendError(id, { code: brainErrorCodes.schedulerUpgradeRequired, message: outcome.message, fatal: true });
    } else if (outcome.batch !== undefined) {
      const { received, inserted, rejected, errors } = outcome.batch;
      this.#send(
        "event_batch_ack",
        // An id that only its sender's signature vouches for may contain what canonical JSON does not allow.
        {
          acked_id: id.toWellFormed(),
          received,
          accepted: inserted,
          rejected,
          errors: errors.slice(0, wireLimits.ackErrors),
        },
        ackIdOf(id),
      );
    }
  }

  #refuse({ reason, id, frameType, message }: RefusedFrame): void {
    const { agentLogs } = this.#deps;
    if (reason === "signature") {
      agentLogs.signatureFailed(this.agentId, { type: frameType });
      this.close(closeCodes.refused, "signature check failed");
      return;
    }
    if (reason === "skew") {
      this.#sendError(id ?? "", { code: brainErrorCodes.protocolIncompatible, message, fatal: false });
    }
    agentLogs.frameDropped(this.agentId, { reason });
  }
}
