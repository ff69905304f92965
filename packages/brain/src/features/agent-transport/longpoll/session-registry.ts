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
  /** Uploads of one session are judged one after another, even when a client has given up on the earlier one. */
  serially<T>(work: () => Promise<T>): Promise<T>;
  /** Why the agent's sessions were ended while this one was in use; null while it is active. */
  ended(): SessionEnd | null;
}

interface HeldSession extends LongpollSession {
  inFlight: number;
  usedMs: number;
  end: SessionEnd | null;
}

interface AgentSessions {
  readonly byNonce: Map<string, HeldSession>;
  /** Set after a signature failure: every request is refused until then. */
  markedUntilMs: number;
  /** Nonces that cannot clear the marker, because they were in use when it was set. */
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
 * Long-poll sessions of this process: 4096 in total, 16 per agent, dropped after 5 idle minutes. A request in flight keeps its session. A
 * signature failure marks the agent until a probe under a fresh nonce.
 */
export class SessionRegistry {
  readonly #options: SessionRegistryOptions;
  readonly #maxSessions: number;
  readonly #maxPerAgent: number;
  readonly #idleMs: number;
  readonly #agents = new Map<string, AgentSessions>();
  #total = 0;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
    this.#maxSessions = options.maxSessions ?? 4096;
    this.#maxPerAgent = options.maxPerAgent ?? 16;
    this.#idleMs = options.idleMs ?? 300_000;
  }

  /** Opens or finds the session of one request. `isProbe`: the non-claiming connect probe; only it clears a marker. */
  open(agentId: string, projectId: string, nonce: string, isProbe: boolean): Opening {
    const held = this.#sessionsOf(agentId);
    const nowMs = this.#nowMs();
    if (held.markedUntilMs > nowMs) {
      if (!isProbe || held.spentNonces.has(nonce)) return { outcome: "invalidated" };
      held.markedUntilMs = 0;
      held.spentNonces.clear();
    }
    const known = held.byNonce.get(nonce);
    if (known === undefined && !this.#evictIdle(held)) return { outcome: "full" };
    const session = known ?? openSession(this.#options, { agentId, projectId, nonce });
    // The registry may have dropped an agent without sessions while it freed space.
    this.#agents.set(agentId, held);
    if (known === undefined) {
      held.byNonce.set(nonce, session);
      this.#total += 1;
    } else if (isProbe && nonce === "") {
      session.guard.resetSeq();
      session.signer.resetSeq();
    }
    session.inFlight += 1;
    session.usedMs = nowMs;
    const release = () => {
      session.inFlight -= 1;
      session.usedMs = this.#nowMs();
    };
    return { outcome: "open", session, release };
  }

  /** Ends every session of the agent; only a probe under a nonce that is not in use now opens the next one. */
  invalidate(agentId: string, nonce: string): void {
    const held = this.#sessionsOf(agentId);
    held.markedUntilMs = this.#nowMs() + this.#idleMs;
    for (const known of [nonce, ...held.byNonce.keys()]) {
      if (held.spentNonces.size < maxSpentNonces) held.spentNonces.add(known);
    }
    this.#endAll(held, "invalidated");
  }

  /** Another process received the probe that clears the marker. */
  retire(agentId: string): void {
    const held = this.#agents.get(agentId);
    if (held === undefined) return;
    held.markedUntilMs = 0;
    held.spentNonces.clear();
  }

  /** Whether a request of the agent would be refused now. */
  isInvalidated(agentId: string): boolean {
    return (this.#agents.get(agentId)?.markedUntilMs ?? 0) > this.#nowMs();
  }

  forgetAgent(agentId: string): void {
    const held = this.#agents.get(agentId);
    if (held === undefined) return;
    this.#endAll(held, "revoked");
    this.#agents.delete(agentId);
  }

  sweep(): void {
    const nowMs = this.#nowMs();
    for (const [agentId, held] of this.#agents) {
      for (const session of [...held.byNonce.values()]) if (this.#isIdle(session)) this.#forget(held, session.nonce);
      if (held.markedUntilMs <= nowMs) held.spentNonces.clear();
      if (held.byNonce.size === 0 && held.markedUntilMs <= nowMs) this.#agents.delete(agentId);
    }
  }

  size(): number {
    return this.#total;
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  #isIdle({ inFlight, usedMs }: HeldSession): boolean {
    return inFlight === 0 && this.#nowMs() - usedMs >= this.#idleMs;
  }

  #sessionsOf(agentId: string): AgentSessions {
    const known = this.#agents.get(agentId);
    if (known !== undefined) return known;
    const fresh: AgentSessions = { byNonce: new Map(), markedUntilMs: 0, spentNonces: new Set() };
    this.#agents.set(agentId, fresh);
    return fresh;
  }

  #forget(held: AgentSessions, nonce: string): void {
    if (held.byNonce.delete(nonce)) this.#total -= 1;
  }

  #endAll(held: AgentSessions, end: SessionEnd): void {
    for (const session of [...held.byNonce.values()]) {
      session.end = end;
      this.#forget(held, session.nonce);
    }
  }

  /** Frees space for one more session by evicting an idle session of the agent; false when it has none. */
  #evictIdle(held: AgentSessions): boolean {
    if (this.#total >= this.#maxSessions) this.sweep();
    if (held.byNonce.size < this.#maxPerAgent && this.#total < this.#maxSessions) return true;
    let oldest: HeldSession | undefined;
    for (const session of held.byNonce.values()) {
      if (session.inFlight === 0 && (oldest === undefined || session.usedMs < oldest.usedMs)) oldest = session;
    }
    if (oldest === undefined) return false;
    this.#forget(held, oldest.nonce);
    return true;
  }
}

function openSession(
  { clock, secretOf }: SessionRegistryOptions,
  { agentId, projectId, nonce }: { agentId: string; projectId: string; nonce: string },
): HeldSession {
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
