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

/** What a transport is given. Both transports run one session at a time: connect, carry frames, end with a reason. */
export interface SessionContext {
  readonly settings: AgentSettings;
  readonly secret: Uint8Array;
  readonly drain: Drain;
  readonly clock: Clock;
  readonly log: AgentLog;
  /** Payload of hello. */
  readonly hello: () => HelloPayload;
  /** The handshake is done; throws a text for the operator when the brain answers for somebody else. */
  readonly opened: (session: OpenedSession) => void;
  /** A verified frame of the brain. */
  readonly receive: (frame: Frame) => void;
  /** Fresh heartbeat and status frames, in order. @param maxBytes bound of each payload. */
  readonly vitals: (maxBytes: number) => Promise<VitalFrame[]>;
  /** The brain confirmed events. */
  readonly flushed: () => void;
  /** Where entries go that do not fit or are refused. */
  readonly dispatch: Dispatch;
  /** Calls `wake` whenever the buffer has something new; gives the way to stop that. */
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

/** How a session ended, and so when to try again. */
export interface Ending {
  readonly family: ReconnectFamily;
  /** For logs and status; names no secret. */
  readonly reason: string;
  /** WebSocket close code or HTTP status, when there was one. */
  readonly code?: number | undefined;
  /** Ended by our own wish, to connect anew without a pause. */
  readonly isRenewal?: boolean;
}

/** Runs one session to its end. Never rejects; an aborted signal ends it with `transient`. */
export type RunSession = (context: SessionContext, signal: AbortSignal) => Promise<Ending>;

/** Envelope around a payload on the wire, generously. */
export const envelopeBytes = 512;

export type Judged =
  | { readonly verdict: "frame"; readonly frame: Frame }
  | { readonly verdict: "ignored" }
  /** The session must end. */
  | { readonly verdict: "fatal"; readonly reason: string };

/** Judges the brain's frames of one session and direction: signature, then replay (spec part 3, sections 1.5 and 1.6). */
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
        return { verdict: "fatal", reason: "a frame of the brain failed its signature" };
      this.#log.warn("a frame of the brain was ignored", { reason: opened.reason, message: opened.message });
      return { verdict: "ignored" };
    }
    const admitted = this.#guard.admit(opened.frame);
    if (admitted === "ok") return { verdict: "frame", frame: opened.frame };
    const hint = admitted === "time" ? "; check the clocks of both machines" : "";
    return { verdict: "fatal", reason: `a frame of the brain failed its replay check (${admitted})${hint}` };
  }
}
