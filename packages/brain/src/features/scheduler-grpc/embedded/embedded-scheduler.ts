import { setTimeout as pause } from "node:timers/promises";
import type { Static } from "typebox";
import type { Clock } from "../../../platform/clock.ts";
import { minutes, seconds } from "../../../platform/durations.ts";
import type { Log } from "../../../platform/log.ts";
import { SettingsError } from "../../../platform/settings.ts";
import { judgeNames } from "../access/caller.ts";
import { type EmbeddedPki, embeddedName, openEmbeddedPki } from "../certificates/embedded-pki.ts";
import type { Listener } from "../listener.ts";
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
  readonly schedulerGrpc: Pick<SchedulerGrpc, "listen">;
  readonly start: StartEmbedded;
  /** Waits, or rejects when the signal is aborted. Tests replace it. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const longestPauseMs = minutes(5);

/** Runs a scheduler in this process, with certificates of its own, and starts it again when it fails or its certificates expire. */
export function createEmbeddedScheduler(deps: EmbeddedDeps) {
  const { clock, log, schedulerGrpc, settings } = deps;
  const wait = deps.wait ?? ((ms, signal) => pause(ms, undefined, { signal, ref: false }));
  const stopping = new AbortController();
  let pki: EmbeddedPki | null = null;
  let listener: Listener | null = null;
  let running: RunningEmbedded | null = null;
  let fault: string | null = "it has not started yet";
  /** The attempts to start it, one after the other. */
  let starting: Promise<void> = Promise.resolve();
  let renewing: Promise<void> | null = null;
  let isStarted = false;

  /** Opens the listener with valid certificates. */
  async function listen(): Promise<void> {
    listener = null;
    pki = openEmbeddedPki(settings.SVC_EMBEDDED_SCHEDULER_PKI_DIR, clock.now());
    // With a listener for other schedulers, the port is that one's.
    const port = settings.SVC_SCHEDULER_GRPC_ENABLED ? 0 : (settings.SVC_SCHEDULER_GRPC_BIND_PORT ?? 0);
    listener = await schedulerGrpc.listen({
      host: "127.0.0.1",
      port,
      tls: pki.server,
      judge: judgeNames({ allowed: [embeddedName], requiresList: true, bindings: {} }),
    });
  }

  /** Whether it runs now. @throws SettingsError */
  async function attempt(): Promise<boolean> {
    if (listener === null || pki === null) return false;
    try {
      running = await deps.start({
        target: `localhost:${listener.port}`,
        ...pki.client,
        log,
        graceMs: seconds(settings.SVC_EMBEDDED_SCHEDULER_SHUTDOWN_GRACE_SECONDS),
      });
      fault = null;
      log.info("embedded_scheduler.started", { grpc_port: listener.port, ...running.address });
      return true;
    } catch (error) {
      if (error instanceof SettingsError) throw error;
      fault = (error as Error).message;
      log.warn("embedded_scheduler.start_failed", { err: error });
      return false;
    }
  }

  async function attemptAgain(): Promise<void> {
    const limit = settings.SVC_EMBEDDED_SCHEDULER_RESTART_MAX_ATTEMPTS;
    const firstMs = seconds(settings.SVC_EMBEDDED_SCHEDULER_RESTART_BACKOFF_SECONDS);
    for (let failed = 0; failed < limit; failed += 1) {
      await wait(Math.min(firstMs * 2 ** failed, longestPauseMs), stopping.signal);
      if (await attempt()) return;
    }
    log.error("embedded_scheduler.gave_up", { attempts: limit + 1 });
  }

  /** Begins further attempts when the first one fails. @throws SettingsError */
  async function launch(): Promise<void> {
    if (await attempt()) return;
    starting = attemptAgain().catch((error: unknown) => {
      if (!stopping.signal.aborted) log.error("embedded_scheduler.gave_up", { err: error });
    });
  }

  async function halt(): Promise<void> {
    const halted = running;
    running = null;
    await halted?.stop();
  }

  async function renew(): Promise<void> {
    await starting;
    if (stopping.signal.aborted) return;
    await halt();
    await listener?.close();
    await listen();
    log.info("embedded_scheduler.certificates_renewed");
    await launch();
  }

  return {
    /** @throws SettingsError; ListenRefused; the error of the folder of the certificates */
    async start(): Promise<void> {
      await listen();
      await launch();
      isStarted = true;
    },
    /** Replaces certificates that expire soon, which starts the scheduler again. */
    async renew(): Promise<void> {
      const isCurrent = listener !== null && pki !== null && clock.now() < pki.renewAt;
      if (!isStarted || isCurrent) return;
      renewing ??= renew().finally(() => {
        renewing = null;
      });
      await renewing;
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
      await renewing?.catch(() => {});
      await halt();
    },
  };
}

export type EmbeddedScheduler = ReturnType<typeof createEmbeddedScheduler>;
