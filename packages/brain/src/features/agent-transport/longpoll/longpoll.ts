import type { Clock } from "../../../platform/clock.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Log } from "../../../platform/log.ts";
import { createThrottledLog } from "../../../platform/throttled-log.ts";
import type { AgentIdentity } from "../../agents/index.ts";
import { createLossWarnings, createSampleLimiter, type LossWarnings } from "../dispatch.ts";
import type { UploadAnswer } from "../schemas.ts";
import { type PollDeps, type PollRequest, pollCommands } from "./poll.ts";
import type { LongpollSession, SessionRegistry } from "./session-registry.ts";
import { acceptUpload, type UploadDeps } from "./upload.ts";

export interface LongpollDeps extends UploadDeps, PollDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: SessionRegistry;
  /** A verified upload arrived: the agent is online, whatever happens to its frames. */
  uploaded(identity: AgentIdentity, at: Date): Promise<void>;
  /** The connect probe reported the agent's runtime features. */
  probed(identity: AgentIdentity, features: readonly string[], at: Date): Promise<void>;
  /** Makes the waiting polls of an agent check again. */
  wakePolls(agentId: string): void;
  /** Notifies the other processes that an agent's sessions ended, or that a probe ended the invalidation. */
  announce(change: SessionChange): void;
}

export interface SessionChange {
  readonly kind: "invalidated" | "retired";
  readonly agentId: string;
  readonly nonce: string;
}

const nonceForm = /^[\x21-\x7e]{1,128}$/;

/** The session id of a request: the exact nonce header, empty when absent; a malformed one is refused. */
export function sessionNonce(header: string | undefined): string {
  if (header === undefined) return "";
  if (nonceForm.test(header)) return header;
  throw new ApiError("validation_error", {
    errors: [
      { loc: ["header", "x-svc-session-nonce"], type: "format", message: "must be 1 to 128 visible ASCII characters" },
    ],
  });
}

const invalidated = (details: Partial<UploadAnswer> = {}) =>
  new ApiError("conflict", { ...details, reason: "session_invalidated" }, { detail: "session invalidated" });

const unknownToken = (details: Record<string, unknown> = {}) =>
  new ApiError("unauthenticated", details, { detail: "invalid agent token" });

/** The two long-poll routes after admission: sessions, uploads, polls and the connect probe. */
export function createLongpoll(deps: LongpollDeps) {
  const { registry, clock, log } = deps;
  const warnings = new WeakMap<LongpollSession, LossWarnings>();

  // A failing database causes these lines with every upload and poll, and an agent causes them by ending its sessions.
  const contactNotNoted = createThrottledLog(clock, (times, about) =>
    log.warn("agent_transport.contact_not_noted", { times, ...about }),
  );
  const noteContact = (noting: Promise<void>): Promise<void> =>
    noting.catch((error: Error) => contactNotNoted({ message: error.message }));

  const pollDeps: PollDeps = { ...deps, polled: (identity, at) => noteContact(deps.polled(identity, at)) };

  function lossWarningsOf(session: LongpollSession): LossWarnings {
    const known = warnings.get(session) ?? createLossWarnings(clock, deps.agentLogs.eventsLost);
    warnings.set(session, known);
    return known;
  }

  async function inSession<T>(
    identity: AgentIdentity,
    nonce: string,
    isProbe: boolean,
    work: (session: LongpollSession) => Promise<T>,
  ): Promise<T> {
    const opening = registry.open(identity.agent_id, identity.project_id, nonce, isProbe);
    if (opening.outcome === "invalidated") throw invalidated();
    if (opening.outcome === "full") {
      throw new ApiError("unready", { reason: "sessions_full" }, { headers: { "retry-after": "1" } });
    }
    try {
      return await work(opening.session);
    } finally {
      opening.release();
    }
  }

  return {
    upload(
      identity: AgentIdentity,
      nonce: string,
      frames: readonly string[],
      signal: AbortSignal,
    ): Promise<UploadAnswer> {
      return inSession(identity, nonce, false, (session) =>
        session.serially(async () => {
          // The session may have ended while this upload waited for the previous one.
          const end = session.ended();
          if (end !== null) throw end === "revoked" ? unknownToken() : invalidated();
          const source = {
            identity,
            workerId: undefined,
            transport: "longpoll",
            samples: createSampleLimiter(clock),
            lossWarnings: lossWarningsOf(session),
            signal,
          } as const;
          const { outcome, answer, signedFrames } = await acceptUpload(deps, session, source, frames);
          if (outcome === "invalidated") {
            registry.invalidate(identity.agent_id, nonce);
            deps.announce({ kind: "invalidated", agentId: identity.agent_id, nonce });
            deps.wakePolls(identity.agent_id);
          }
          if (signedFrames > 0) await noteContact(deps.uploaded(identity, clock.now()));
          if (outcome === "revoked") throw unknownToken({ ...answer });
          if (outcome === "invalidated") throw invalidated(answer);
          return answer;
        }),
      );
    },

    /** The connect probe: claims nothing, records the features, and under a fresh nonce ends an invalidation. */
    probe(identity: AgentIdentity, nonce: string, features: readonly string[]): Promise<{ frames: string[] }> {
      const wasInvalidated = registry.isInvalidated(identity.agent_id);
      return inSession(identity, nonce, true, async () => {
        if (wasInvalidated) deps.announce({ kind: "retired", agentId: identity.agent_id, nonce });
        await deps.probed(identity, features, clock.now());
        return { frames: [] };
      });
    },

    poll(
      identity: AgentIdentity,
      nonce: string,
      request: Omit<PollRequest, "identity">,
    ): Promise<{ frames: string[] }> {
      return inSession(identity, nonce, false, async (session) => {
        const answer = await pollCommands(pollDeps, session, { identity, ...request });
        if (answer === "revoked") throw unknownToken();
        if (answer === "archived") throw new ApiError("project_inactive");
        if (answer === "invalidated") throw invalidated();
        return answer;
      });
    },
  };
}

export type Longpoll = ReturnType<typeof createLongpoll>;
