import { pause } from "../runtime/clock.ts";
import { reasonOf } from "../runtime/log.ts";
import { type ReconnectFamily, reconnectDelayMs } from "./backoff.ts";
import type { Ending, OpenedSession, RunSession, SessionContext } from "./session.ts";

export type ConnectionState = "idle" | "connecting" | "online" | "waiting" | "stopped";

/** Facts about the connection for the heartbeat and status. */
export type ConnectionFacts = Connection["facts"];

export interface ConnectionDependencies {
  readonly runSession: RunSession;
  /** The session context without the callbacks that the connection adds. */
  readonly context: Omit<SessionContext, "opened" | "flushed" | "receive">;
  /** Throws an error with a text for the operator to refuse a session. */
  readonly accept: (session: OpenedSession) => void;
  readonly random: () => number;
}

const steadyMs = 10_000;
const noFailures: Readonly<Record<ReconnectFamily, number>> = { transient: 0, protocol: 0, auth: 0 };

/**
 * Keeps one session to the brain open: connects, carries frames, and waits after each disconnect according to its family. The failure streaks
 * that are reported reset on every connect. The backoff resets only after a session that lasted 10 s or confirmed events, so that a brain
 * that ends every session immediately is not contacted every second.
 */
export class Connection {
  #dependencies: ConnectionDependencies;
  #stopper = new AbortController();
  #state: ConnectionState = "idle";
  #streaks = { ...noFailures };
  #attempts = { ...noFailures };
  #session: OpenedSession | undefined;
  #openedAtMs = 0;
  #lastConnectMs: number | undefined;
  #lastFlushMs: number | undefined;
  #lastEnding: Ending | undefined;
  #retryInMs: number | undefined;
  #loop: Promise<void> | undefined;

  constructor(dependencies: ConnectionDependencies) {
    this.#dependencies = dependencies;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The open session, otherwise the last one. */
  get session(): OpenedSession | undefined {
    return this.#session;
  }

  get lastEnding(): Ending | undefined {
    return this.#lastEnding;
  }

  /** The full delay before the next attempt, while waiting for it. */
  get retryInMs(): number | undefined {
    return this.#retryInMs;
  }

  get facts() {
    const { clock } = this.#dependencies.context;
    const isOnline = this.#state === "online";
    return {
      authFailures: this.#streaks.auth,
      protocolFailures: this.#streaks.protocol,
      connectionFailures: this.#streaks.transient,
      lastConnectMs: this.#lastConnectMs,
      sessionAgeSeconds: isOnline ? Math.floor((clock.monotonicMs() - this.#openedAtMs) / 1000) : undefined,
      /** When the brain last confirmed events. */
      lastFlushMs: this.#lastFlushMs,
    };
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends the session and waits for its socket to close. */
  async stop(): Promise<void> {
    this.#stopper.abort();
    await this.#loop;
    this.#state = "stopped";
  }

  async #run(): Promise<void> {
    const { context, runSession, random } = this.#dependencies;
    const { signal } = this.#stopper;
    while (!signal.aborted) {
      this.#state = "connecting";
      let hasFlushed = false;
      let openedAtMs: number | undefined;
      const flushed = (): void => {
        hasFlushed = true;
        this.#lastFlushMs = context.clock.nowMs();
      };
      const ending = await runSession(
        {
          ...context,
          flushed,
          receive: (frame) => {
            if (context.dispatch.receive(frame)) flushed();
          },
          opened: (session) => {
            openedAtMs = context.clock.monotonicMs();
            this.#open(session);
          },
        },
        signal,
      ).catch((error: unknown): Ending => ({ family: "transient", reason: reasonOf(error) }));
      if (signal.aborted) break;
      if (ending.isRenewal === true) {
        context.log.info("reconnecting to the brain", { reason: ending.reason });
        continue;
      }

      const lastedMs = openedAtMs === undefined ? 0 : context.clock.monotonicMs() - openedAtMs;
      if (hasFlushed || lastedMs >= steadyMs) this.#attempts = { ...noFailures };
      this.#streaks[ending.family] += 1;
      this.#attempts[ending.family] += 1;
      this.#lastEnding = ending;
      this.#retryInMs = reconnectDelayMs(ending.family, this.#attempts[ending.family], random());
      this.#state = "waiting";
      context.log.warn("not connected to the brain, buffering events and retrying", {
        reason: ending.reason,
        code: ending.code,
        family: ending.family,
        retryInMs: this.#retryInMs,
      });
      await pause(context.clock, this.#retryInMs, signal);
      this.#retryInMs = undefined;
    }
  }

  #open(session: OpenedSession): void {
    const { accept, context } = this.#dependencies;
    accept(session);
    this.#session = session;
    this.#openedAtMs = context.clock.monotonicMs();
    this.#lastConnectMs = context.clock.nowMs();
    this.#streaks = { ...noFailures };
    this.#state = "online";
    context.log.info("connected to the brain", { agentId: session.agentId, projectId: session.projectId });
  }
}
