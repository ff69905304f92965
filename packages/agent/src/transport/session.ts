import {
  createReplayGuard,
  createVerifier,
  type Frame,
  type HelloPayload,
  type ReplayGuard,
  type SessionIds,
  type SignedFrameType,
  type Verifier,
} from "@svc/protocol";
import type { AgentLog } from "../adapter.ts";
import type { Drain } from "../buffer/drain.ts";
import type { Dispatch } from "../dispatch.ts";
import type { AgentSettings } from "../options/options.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ReconnectFamily } from "./backoff.ts";

/** The context of a session. Both transports run one session at a time: connect, carry frames, end with a reason. */
export interface SessionContext {
  readonly settings: AgentSettings;
  readonly secret: Uint8Array;
  readonly drain: Drain;
  readonly clock: Clock;
  readonly log: AgentLog;
  /** Payload of hello. */
  readonly hello: () => HelloPayload;
  /** Called after the handshake. Throws an error for the operator when the brain answers for another agent or project. */
  readonly opened: (session: OpenedSession) => void;
  /** Receives a verified frame from the brain. */
  readonly receive: (frame: Frame) => void;
  /** New heartbeat and status frames, in order. @param maxBytes limit for each payload. */
  readonly vitals: (maxBytes: number) => Promise<VitalFrame[]>;
  /** Called when the brain confirmed events. */
  readonly flushed: () => void;
  /** Handles entries that do not fit or are refused. */
  readonly dispatch: Dispatch;
  /** Calls `wake` whenever the buffer has new entries. Returns a function that stops this. */
  readonly onStored: (wake: () => void) => () => void;
}

export interface OpenedSession extends SessionIds {
  readonly brainVersion: string | undefined;
}

export interface VitalFrame {
  readonly type: Extract<SignedFrameType, "heartbeat" | "agent_status">;
  readonly id: string;
  readonly payload: Record<string, unknown>;
}

/** How a session ended, which decides when to reconnect. */
export interface Ending {
  readonly family: ReconnectFamily;
  /** For logs and status. Contains no secret. */
  readonly reason: string;
  /** WebSocket close code or HTTP status, when there was one. */
  readonly code?: number | undefined;
  /** The agent ended the session to reconnect without a delay. */
  readonly isRenewal?: boolean;
}

/** Runs one session to its end. Never rejects. An aborted signal ends it with `transient`. */
export type RunSession = (context: SessionContext, signal: AbortSignal) => Promise<Ending>;

/** Upper bound for the envelope around a payload. */
export const envelopeBytes = 512;

export type Judged =
  | { readonly verdict: "frame"; readonly frame: Frame }
  | { readonly verdict: "ignored" }
  /** The session must end. */
  | { readonly verdict: "fatal"; readonly reason: string };

/** Verifies the brain's frames of one session: first the signature, then the replay guard. */
export class Inbound {
  #verifier: Verifier;
  #guard: ReplayGuard;
  #log: AgentLog;

  constructor(session: SessionIds, { secret, clock, log }: Pick<SessionContext, "secret" | "clock" | "log">) {
    this.#verifier = createVerifier({ secret, session });
    this.#guard = createReplayGuard({ now: () => new Date(clock.nowMs()), monotonicMs: () => clock.monotonicMs() });
    this.#log = log;
  }

  judge(message: string | Uint8Array): Judged {
    const opened = this.#verifier.open(message);
    if (!opened.ok) {
      if (opened.reason === "signature")
        return { verdict: "fatal", reason: "a frame from the brain failed signature verification" };
      this.#log.warn("ignored a frame from the brain", { reason: opened.reason, message: opened.message });
      return { verdict: "ignored" };
    }
    const admitted = this.#guard.admit(opened.frame);
    if (admitted === "ok") return { verdict: "frame", frame: opened.frame };
    const hint = admitted === "time" ? ". Check the clocks of both machines" : "";
    return { verdict: "fatal", reason: `a frame from the brain failed the replay check (${admitted})${hint}` };
  }
}
