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
  type SignedFrameType,
  type Signer,
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
} from "../dispatch.ts";
import type { AgentConnection, Sending } from "./connections.ts";

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly agentLogs: AgentLogs;
  readonly dispatch: Dispatch;
  /** Null while the ingest queue has room; when it is full, what to wait for before the socket is read again. */
  whenIngestHasRoom(): Promise<void> | null;
  verified(path: "fast" | "slow"): void;
  /** An agent that left unread what it was sent reads on. */
  readsAgain(agentId: string): void;
  /** Wait for a command to leave, in milliseconds, when it is not the spec's. */
  readonly sendMs?: number;
}

export interface OpenConnection {
  readonly socket: WebSocket;
  readonly identity: AgentIdentity;
  readonly hello: HelloPayload;
  readonly secret: Uint8Array;
}

/** An authenticated WebSocket after hello: it verifies frames in arrival order, hands them on and signs what goes back. */
export interface Connection extends AgentConnection {
  readonly sessionId: string;
  receive(message: Uint8Array): void;
  /** Counts as a frame for the idle limit: the brain itself does not read the socket now. */
  touch(): void;
  /** Whether the brain does not read the socket because it has no room for more events itself. */
  isHeldByIngest(): boolean;
  /** Monotonic time of the last batch that the database could not take, so that its sender waits for an ack in vain; null for none. */
  lastUnstoredMs(): number | null;
}

/** Bytes that may lie unsent because the agent does not read; above it, nothing more that asks for an answer is read from it. */
const maxUnsentBytes = 1_048_576;
/** A command that has not left by then counts as not sent (spec part 3, section 4.1). */
const defaultSendMs = 5000;

export function createConnection(deps: ConnectionDeps, opened: OpenConnection): Connection {
  const { clock, agentLogs, dispatch, sendMs = defaultSendMs } = deps;
  const { socket, identity, hello, secret } = opened;
  const sessionId = randomUUID();
  const session = { agentId: identity.agent_id, projectId: identity.project_id, sessionId };
  const verifier = createVerifier({ secret, session });
  const signer: Signer = createSigner({ secret, session, now: () => clock.now() });
  const guard = createReplayGuard({ now: () => clock.now(), monotonicMs: () => clock.monotonicMs() });
  const source: FrameSource = {
    identity,
    workerId: hello.worker_id,
    transport: "ws",
    samples: createSampleLimiter(clock),
    lossWarnings: createLossWarnings(clock, agentLogs.eventsLost),
  };
  let lastActiveMs = clock.monotonicMs();
  let lastUnstoredMs: number | null = null;
  let hasEnded = false;
  /** For what the socket is not read now. */
  let heldBy: "ingest" | "reader" | null = null;

  // Frames that arrived behind the one that ended the session are still handed over by the socket; they count for nothing.
  function close(code: number, reason: string): void {
    hasEnded = true;
    socket.close(code, reason);
  }

  function send(type: SignedFrameType, payload: Record<string, unknown>, id: string): void {
    if (socket.readyState === socket.OPEN) socket.send(Buffer.from(signer.sign(type, payload, id)), written);
  }

  /** Set when a command could not be sent, until something leaves again. */
  let isStuck = false;
  const isUnread = (): boolean => socket.bufferedAmount > maxUnsentBytes;

  function written(error?: Error | null): void {
    if (heldBy === "reader") readOn();
    if (!isStuck || error != null || isUnread()) return;
    isStuck = false;
    deps.readsAgain(identity.agent_id);
  }

  function deliver({ id, payload }: ClaimedCommand): Promise<Sending> {
    let frame: Buffer;
    try {
      frame = Buffer.from(signer.sign("command", payload, id));
    } catch {
      return Promise.resolve("unsigned");
    }
    if (socket.readyState !== socket.OPEN) return Promise.resolve("failed");
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        isStuck = true;
        resolve("failed");
      }, sendMs);
      late.unref();
      socket.send(frame, (error) => {
        clearTimeout(late);
        if (error != null) isStuck = true;
        resolve(error == null ? "sent" : "failed");
        written(error);
      });
    });
  }

  function readOn(): void {
    heldBy = isUnread() ? "reader" : null;
    if (heldBy === null) socket.resume();
  }

  /**
   * Stops reading the socket while the ingest queue is full, since the agent's own buffer is the place to wait, and while the agent leaves
   * unread what it was sent. Who never reads on answers no ping either, and ends for that.
   */
  function holdBack(): void {
    if (heldBy !== null) return;
    const room = deps.whenIngestHasRoom();
    if (room !== null) {
      heldBy = "ingest";
      void room.then(readOn);
    } else if (isUnread()) {
      heldBy = "reader";
    } else return;
    socket.pause();
  }

  function answer(id: string, outcome: FrameOutcome): void {
    if (outcome.kind === "revoked") {
      close(closeCodes.revoked, "revoked");
    } else if (outcome.kind === "transient") {
      if (outcome.isUnstored === true) lastUnstoredMs = clock.monotonicMs();
    } else if (outcome.batch !== undefined) {
      const { received, inserted, rejected, errors } = outcome.batch;
      send(
        "event_batch_ack",
        // An id that only its own sender's signature vouches for may hold what canonical JSON cannot.
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

  function refuse({ reason, id, frameType, message }: RefusedFrame): void {
    if (reason === "signature") {
      agentLogs.signatureFailed(identity.agent_id, { type: frameType });
      close(closeCodes.refused, "signature check failed");
      return;
    }
    if (reason === "skew") {
      const payload = { code: brainErrorCodes.protocolIncompatible, message, fatal: false };
      send("error", payload, `err_${id ?? ""}`.slice(0, wireLimits.frameIdCharacters).toWellFormed());
    }
    agentLogs.frameDropped(identity.agent_id, { reason });
  }

  return {
    agentId: identity.agent_id,
    projectId: identity.project_id,
    workerId: hello.worker_id,
    connectedAt: clock.now(),
    capabilities: reportedCapabilities(hello),
    canTake() {
      if (isUnread()) isStuck = true;
      return !isStuck && socket.readyState === socket.OPEN;
    },
    deliver,
    sessionId,
    lastActiveMs: () => lastActiveMs,
    touch() {
      lastActiveMs = clock.monotonicMs();
    },
    isHeldByIngest: () => heldBy === "ingest",
    lastUnstoredMs: () => lastUnstoredMs,
    close,
    receive(message) {
      if (hasEnded) return;
      lastActiveMs = clock.monotonicMs();
      const judged = verifier.open(message);
      if (!judged.ok) {
        refuse(judged);
        holdBack();
        return;
      }
      const { frame } = judged;
      const verdict = guard.admit(frame);
      if (verdict !== "ok") {
        agentLogs.replayRefused(identity.agent_id, { verdict });
        close(closeCodes.refused, "replay check failed");
        return;
      }
      deps.verified(judged.path);
      // What waits for the answer keeps nothing of the frame but its id: hundreds may be on their way into the database.
      const { id } = frame;
      dispatch(source, frame, judged.text)
        .then((outcome) => answer(id, outcome))
        .catch((error: Error) => {
          agentLogs.answerFailed(identity.agent_id, { message: error.message });
          close(closeCodes.internalError, "internal error");
        });
      holdBack();
    },
  };
}
