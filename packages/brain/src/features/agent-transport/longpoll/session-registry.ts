import {
  createReplayGuard,
  createSigner,
  createVerifier,
  type ReplayGuard,
  type Signer,
  type Verifier,
} from "@svc/protocol";
import type { Clock } from "../../../platform/clock.ts";

export type SessionEnd = "invalidated" | "revoked";

/** Signing state of one long-poll session: (agent, nonce) in this process. */
export interface LongpollSession {
  readonly nonce: string;
  readonly verifier: Verifier;
  readonly signer: Signer;
  readonly guard: ReplayGuard;
  /** Uploads of one session are judged one after another, also when a client has given up on the earlier one. */
  serially<T>(work: () => Promise<T>): Promise<T>;
  /** Why the agent's sessions were ended while this one was in use; null while it goes on. */
  ended(): SessionEnd | null;
}

interface HeldSession extends LongpollSession {
  inFlight: number;
  usedMs: number;
  end: SessionEnd | null;
}

interface AgentSessions {
  readonly byNonce: Map<string, HeldSession>;
  /** Set after a signature failure: until then every request is refused. */
  markedUntilMs: number;
  /** Nonces that may not retire the marker, since they were in use when it was set. */
  readonly spentNonces: Set<string>;
}

export type Opening =
  | { readonly outcome: "open"; readonly session: LongpollSession; release(): void }
  | { readonly outcome: "invalidated" }
  | { readonly outcome: "full" };

export interface SessionRegistryOptions {
  readonly clock: Clock;
  secretOf(projectId: string): Uint8Array;
  readonly maxSessions?: number;
  readonly maxPerAgent?: number;
  readonly idleMs?: number;
}

const maxSpentNonces = 64;

/**
 * Long-poll sessions of this process (spec part 2, Agents 6; part 3, 1.12): 4096 in total, 16 per agent, forgotten after 5 idle
 * minutes. A request in flight holds its session. A signature failure marks the agent until a probe under a fresh nonce.
 */
export function createSessionRegistry(options: SessionRegistryOptions) {
  const { clock, secretOf, maxSessions = 4096, maxPerAgent = 16, idleMs = 300_000 } = options;
  const agents = new Map<string, AgentSessions>();
  let total = 0;

  const isIdle = (session: HeldSession, nowMs: number) => session.inFlight === 0 && nowMs - session.usedMs >= idleMs;

  function sessionsOf(agentId: string): AgentSessions {
    const known = agents.get(agentId);
    if (known !== undefined) return known;
    const fresh: AgentSessions = { byNonce: new Map(), markedUntilMs: 0, spentNonces: new Set() };
    agents.set(agentId, fresh);
    return fresh;
  }

  function forget(held: AgentSessions, nonce: string): void {
    if (held.byNonce.delete(nonce)) total -= 1;
  }

  function endAll(held: AgentSessions, end: SessionEnd): void {
    for (const session of [...held.byNonce.values()]) {
      session.end = end;
      forget(held, session.nonce);
    }
  }

  function sweep(): void {
    const nowMs = clock.monotonicMs();
    for (const [agentId, held] of agents) {
      for (const session of [...held.byNonce.values()]) if (isIdle(session, nowMs)) forget(held, session.nonce);
      if (held.markedUntilMs <= nowMs) held.spentNonces.clear();
      if (held.byNonce.size === 0 && held.markedUntilMs <= nowMs) agents.delete(agentId);
    }
  }

  /** Makes room for one more session of the agent out of its own idle ones; false when there is none. */
  function makeRoom(held: AgentSessions): boolean {
    if (total >= maxSessions) sweep();
    if (held.byNonce.size < maxPerAgent && total < maxSessions) return true;
    let oldest: HeldSession | undefined;
    for (const session of held.byNonce.values()) {
      if (session.inFlight === 0 && (oldest === undefined || session.usedMs < oldest.usedMs)) oldest = session;
    }
    if (oldest === undefined) return false;
    forget(held, oldest.nonce);
    return true;
  }

  function openSession(agentId: string, projectId: string, nonce: string): HeldSession {
    const secret = secretOf(projectId);
    const session = { agentId, projectId, sessionId: nonce };
    let last: Promise<unknown> = Promise.resolve();
    const held: HeldSession = {
      nonce,
      verifier: createVerifier({ secret, session }),
      signer: createSigner({ secret, session, now: () => clock.now() }),
      guard: createReplayGuard({ now: () => clock.now(), monotonicMs: () => clock.monotonicMs() }),
      inFlight: 0,
      usedMs: clock.monotonicMs(),
      serially(work) {
        const next = last.then(work, work);
        last = next.catch(() => {});
        return next;
      },
      end: null,
      ended: () => held.end,
    };
    return held;
  }

  return {
    /** Opens or finds the session of one request. `isProbe`: the non-claiming connect probe, which alone retires a marker. */
    open(agentId: string, projectId: string, nonce: string, isProbe: boolean): Opening {
      const held = sessionsOf(agentId);
      const nowMs = clock.monotonicMs();
      if (held.markedUntilMs > nowMs) {
        if (!isProbe || held.spentNonces.has(nonce)) return { outcome: "invalidated" };
        held.markedUntilMs = 0;
        held.spentNonces.clear();
      }
      const known = held.byNonce.get(nonce);
      if (known === undefined && !makeRoom(held)) return { outcome: "full" };
      const session = known ?? openSession(agentId, projectId, nonce);
      // The registry may have dropped an emptied agent while it made room.
      agents.set(agentId, held);
      if (known === undefined) {
        held.byNonce.set(nonce, session);
        total += 1;
      } else if (isProbe && nonce === "") {
        session.guard.resetSeq();
        session.signer.resetSeq();
      }
      session.inFlight += 1;
      session.usedMs = nowMs;
      return {
        outcome: "open",
        session,
        release() {
          session.inFlight -= 1;
          session.usedMs = clock.monotonicMs();
        },
      };
    },
    /** Ends every session of the agent; only a probe under a nonce not in use now opens the next one. */
    invalidate(agentId: string, nonce: string): void {
      const held = sessionsOf(agentId);
      held.markedUntilMs = clock.monotonicMs() + idleMs;
      for (const known of [nonce, ...held.byNonce.keys()]) {
        if (held.spentNonces.size < maxSpentNonces) held.spentNonces.add(known);
      }
      endAll(held, "invalidated");
    },
    /** Another process saw the retiring probe. */
    retire(agentId: string): void {
      const held = agents.get(agentId);
      if (held === undefined) return;
      held.markedUntilMs = 0;
      held.spentNonces.clear();
    },
    /** Whether a request of the agent would be refused now. */
    isInvalidated: (agentId: string): boolean => (agents.get(agentId)?.markedUntilMs ?? 0) > clock.monotonicMs(),
    forgetAgent(agentId: string): void {
      const held = agents.get(agentId);
      if (held === undefined) return;
      endAll(held, "revoked");
      agents.delete(agentId);
    },
    sweep,
    size: () => total,
  };
}

export type SessionRegistry = ReturnType<typeof createSessionRegistry>;
