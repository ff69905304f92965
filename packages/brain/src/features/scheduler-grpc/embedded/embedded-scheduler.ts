import { setTimeout as pause } from "node:timers/promises";
import type { Static } from "typebox";
import type { Clock } from "../../../platform/clock.ts";
import { minutes, seconds } from "../../../platform/durations.ts";
import type { Log } from "../../../platform/log.ts";
import { SettingsError } from "../../../platform/settings.ts";
import { judgeNames } from "../access/caller.ts";
import { type EmbeddedPki, embeddedName, openEmbeddedPki } from "../certificates/embedded-pki.ts";
import type { SchedulerGrpc } from "../scheduler-grpc.ts";
import type { embeddedSchedulerSettings } from "./settings.ts";

/** What the embedded scheduler needs to call this service. */
export interface EmbeddedConnection {
  /** Host and port of the listener for it. */
  readonly target: string;
  readonly certificatePath: string;
  readonly keyPath: string;
  /** Certificate of the authority that issued those of both sides. */
  readonly authorityPath: string;
  readonly log: Log;
  /** How long its open fires may take when it stops. */
  readonly graceMs: number;
}

/** A scheduler in this process. */
export interface RunningEmbedded {
  /** What its /info serves. */
  info(): Readonly<Record<string, unknown>>;
  /** Where it serves /health, /info and /metrics. */
  readonly address: { readonly host: string; readonly port: number };
  stop(): Promise<void>;
}

/** Starts a scheduler. A SettingsError is final; any other error is tried again. */
export type StartEmbedded = (connection: EmbeddedConnection) => Promise<RunningEmbedded>;

/** The embedded scheduler as it is now; `error` says why none runs. */
export interface EmbeddedState {
  readonly address: RunningEmbedded["address"] | null;
  readonly info: Readonly<Record<string, unknown>> | null;
  readonly error: string | null;
}

export interface EmbeddedDeps {
  readonly settings: Static<typeof embeddedSchedulerSettings> & { readonly SVC_SCHEDULER_GRPC_ENABLED: boolean } & {
    readonly SVC_SCHEDULER_GRPC_BIND_PORT?: number;
  };
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly schedulerGrpc: Pick<SchedulerGrpc, "listen" | "reloadCertificates">;
  readonly start: StartEmbedded;
  /** Waits, or rejects when the signal is aborted. Tests replace it. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const longestPauseMs = minutes(5);

/** Runs a scheduler in this process, with certificates of its own, and starts it again when it fails. */
export function createEmbeddedScheduler(deps: EmbeddedDeps) {
  const { clock, log, schedulerGrpc, settings } = deps;
  const wait = deps.wait ?? ((ms, signal) => pause(ms, undefined, { signal, ref: false }));
  const stopping = new AbortController();
  let pki: EmbeddedPki | null = null;
  let running: RunningEmbedded | null = null;
  let fault: string | null = "it has not started yet";
  /** The attempts to start it, one after the other. */
  let starting: Promise<void> = Promise.resolve();

  /** Opens the listener. @returns how the scheduler reaches it */
  async function listen(): Promise<EmbeddedConnection> {
    const opened = openEmbeddedPki(settings.SVC_EMBEDDED_SCHEDULER_PKI_DIR, clock.now());
    pki = opened;
    // With a listener for other schedulers, the port is that one's.
    const port = settings.SVC_SCHEDULER_GRPC_ENABLED ? 0 : (settings.SVC_SCHEDULER_GRPC_BIND_PORT ?? 0);
    const listener = await schedulerGrpc.listen({
      host: "127.0.0.1",
      port,
      tls: (member) => (pki ?? opened).server[member],
      judge: judgeNames({ allowed: [embeddedName], requiresList: true, bindings: {} }),
    });
    return {
      target: `localhost:${listener.port}`,
      ...opened.client,
      log,
      graceMs: seconds(settings.SVC_EMBEDDED_SCHEDULER_SHUTDOWN_GRACE_SECONDS),
    };
  }

  /** Whether it runs now. @throws SettingsError */
  async function attempt(connection: EmbeddedConnection): Promise<boolean> {
    try {
      running = await deps.start(connection);
      fault = null;
      log.info("embedded_scheduler.started", { grpc_target: connection.target, ...running.address });
      return true;
    } catch (error) {
      if (error instanceof SettingsError) throw error;
      fault = (error as Error).message;
      log.warn("embedded_scheduler.start_failed", { err: error });
      return false;
    }
  }

  async function attemptAgain(connection: EmbeddedConnection): Promise<void> {
    const limit = settings.SVC_EMBEDDED_SCHEDULER_RESTART_MAX_ATTEMPTS;
    const firstMs = seconds(settings.SVC_EMBEDDED_SCHEDULER_RESTART_BACKOFF_SECONDS);
    for (let failed = 0; failed < limit; failed += 1) {
      await wait(Math.min(firstMs * 2 ** failed, longestPauseMs), stopping.signal);
      if (await attempt(connection)) return;
    }
    log.error("embedded_scheduler.gave_up", { attempts: limit + 1 });
  }

  return {
    /**
     * Begins further attempts when the first one fails.
     *
     * @throws SettingsError; ListenRefused; the error of the folder of the certificates
     */
    async start(): Promise<void> {
      const connection = await listen();
      if (await attempt(connection)) return;
      starting = attemptAgain(connection).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error("embedded_scheduler.gave_up", { err: error });
      });
    },
    /** Replaces certificates that expire soon. Both sides use the new ones for new connections; the open one stays. */
    renew(): void {
      if (pki === null || clock.now() < pki.renewAt) return;
      pki = openEmbeddedPki(settings.SVC_EMBEDDED_SCHEDULER_PKI_DIR, clock.now());
      schedulerGrpc.reloadCertificates();
    },
    state: (): EmbeddedState => ({
      address: running?.address ?? null,
      info: running?.info() ?? null,
      error: running === null ? fault : null,
    }),
    /** Waits for its open fires, so the listeners must be closed later. */
    async stop(): Promise<void> {
      stopping.abort();
      fault = "the service is stopping";
      await starting;
      const halted = running;
      running = null;
      await halted?.stop();
    },
  };
}

export type EmbeddedScheduler = ReturnType<typeof createEmbeddedScheduler>;
