import { randomUUID } from "node:crypto";
import {
  closeCodes,
  createReplayGuard,
  createSigner,
  createVerifier,
  type HelloPayload,
  type SignedFrameType,
  type Signer,
} from "@svc/protocol";
import type { WebSocket } from "ws";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { AgentIdentity } from "../agents/index.ts";
import type { IngestOutcome } from "../ingest/index.ts";
import { createLossWarnings, createSampleLimiter, type Dispatch, type FrameSource } from "./dispatch.ts";
import type { Slot } from "./slots.ts";

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatch: Dispatch;
  /** Null while the ingest queue has room; when it is full, what to wait for before the socket is read again. */
  whenIngestHasRoom(): Promise<void> | null;
  verified(path: "fast" | "slow"): void;
}

export interface OpenConnection {
  readonly socket: WebSocket;
  readonly identity: AgentIdentity;
  readonly hello: HelloPayload;
  readonly secret: Uint8Array;
}

/** An authenticated WebSocket after hello: it verifies frames in arrival order, hands them on and signs what goes back. */
export interface Connection extends Slot {
  readonly sessionId: string;
  receive(message: Uint8Array): void;
  /** Signs and sends one frame; false when the socket is not open any more. */
  send(type: SignedFrameType, payload: Record<string, unknown>, id: string): boolean;
}

export function createConnection(deps: ConnectionDeps, opened: OpenConnection): Connection {
  const { clock, log, dispatch } = deps;
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
    lossWarnings: createLossWarnings(clock, log),
  };
  let lastActiveMs = clock.monotonicMs();

  function close(code: number, reason: string): void {
    socket.close(code, reason);
  }

  function send(type: SignedFrameType, payload: Record<string, unknown>, id: string): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    socket.send(Buffer.from(signer.sign(type, payload, id)));
    return true;
  }

  function acknowledgeBatch(frameId: string, { received, inserted, errors }: IngestOutcome): void {
    send(
      "event_batch_ack",
      { acked_id: frameId, received, accepted: inserted, rejected: received - inserted, errors: errors.slice(0, 10) },
      `eba_${frameId}`.slice(0, 64),
    );
  }

  /** Stops reading the socket while the ingest queue is full: the agent's own buffer is the place to wait. */
  function holdBackWhenFull(): void {
    const room = deps.whenIngestHasRoom();
    if (room === null || socket.isPaused) return;
    socket.pause();
    void room.then(() => socket.resume());
  }

  function receive(message: Uint8Array): void {
    lastActiveMs = clock.monotonicMs();
    const judged = verifier.open(message);
    if (!judged.ok) {
      if (judged.reason === "signature") {
        log.warn("agent_transport.signature_failed", { agent_id: identity.agent_id, type: judged.frameType });
        close(closeCodes.refused, "signature check failed");
        return;
      }
      if (judged.reason === "skew") {
        send(
          "error",
          { code: "protocol_incompatible", message: judged.message, fatal: false },
          `err_${judged.id ?? ""}`.slice(0, 64),
        );
      }
      log.warn("agent_transport.frame_dropped", { agent_id: identity.agent_id, reason: judged.reason });
      return;
    }
    const { frame } = judged;
    const status = frame.payload?.status;
    if (frame.type === "command_result" && status !== "success" && status !== "failed") {
      log.warn("agent_transport.frame_dropped", { agent_id: identity.agent_id, reason: "malformed" });
      return;
    }
    const verdict = guard.admit(frame);
    if (verdict !== "ok") {
      log.warn("agent_transport.replay_refused", { agent_id: identity.agent_id, verdict });
      close(closeCodes.refused, "replay check failed");
      return;
    }
    deps.verified(judged.path);
    void dispatch(source, frame, judged.text).then((outcome) => {
      if (outcome.kind === "revoked") close(closeCodes.revoked, "revoked");
      else if (outcome.kind === "confirmed" && outcome.batch !== undefined) acknowledgeBatch(frame.id, outcome.batch);
      else if (outcome.kind === "confirmed" && frame.type === "event_batch") {
        acknowledgeBatch(frame.id, { received: 0, inserted: 0, rejected: 0, errors: [...(outcome.errors ?? [])] });
      }
    });
    holdBackWhenFull();
  }

  return {
    agentId: identity.agent_id,
    projectId: identity.project_id,
    workerId: hello.worker_id,
    connectedAt: clock.now(),
    capabilities: hello.capabilities,
    sessionId,
    lastActiveMs: () => lastActiveMs,
    close,
    send,
    receive,
  };
}
