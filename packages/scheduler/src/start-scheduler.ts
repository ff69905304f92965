import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import manifest from "../package.json" with { type: "json" };
import type { Brain } from "./brain/brain.ts";
import { openCertificates } from "./brain/certificates.ts";
import { connectBrain } from "./brain/grpc-brain.ts";
import { type SchedulerClock, systemClock } from "./clock.ts";
import { metricsContentType } from "./http/metrics.ts";
import { startStatusServer } from "./http/server.ts";
import { openPostgresLocks } from "./leadership/postgres-locks.ts";
import type { SchedulerLog } from "./log.ts";
import { runScheduler, type SchedulerInfo } from "./scheduler.ts";
import { checkSchedulerSettings, grpcTarget, type SchedulerSettings, SchedulerSettingsError } from "./settings.ts";

export interface StartSchedulerOptions {
  readonly settings: SchedulerSettings;
  readonly log: SchedulerLog;
  /** The system's by default. */
  readonly clock?: SchedulerClock;
  /** The service; by default the one that the settings name, over gRPC. */
  readonly brain?: Brain;
  /** Longest wait of `stop` for open fires, in milliseconds; 8000 by default. */
  readonly graceMs?: number;
}

export interface RunningScheduler {
  /** Where /health, /info and /metrics are served. */
  readonly address: { readonly host: string; readonly port: number };
  info(): FullInfo;
  /** Why nothing is fired; empty while the scheduler works, also as a standby. */
  faults(): readonly string[];
  /** Stops ticking, waits for open fires, gives up leadership, and closes all sockets. */
  stop(): Promise<void>;
}

export type FullInfo = { readonly version: string; readonly instance_id: string } & SchedulerInfo;

const defaultGraceMs = 8000;

/**
 * Starts a scheduler. It does not wait for the service: /health reports when the first snapshot has arrived.
 *
 * @throws SchedulerSettingsError, or the error of `listen`; then nothing is left running.
 */
export async function startScheduler(options: StartSchedulerOptions): Promise<RunningScheduler> {
  const { settings, log, clock = systemClock, graceMs = defaultGraceMs } = options;
  requireValid(settings, options.brain !== undefined);
  const brain = options.brain ?? connect(settings, clock, log);
  const instanceId = settings.SVC_SCHEDULER_INSTANCE_ID ?? (hostname() || randomUUID());
  const server = await startStatusServer({
    host: settings.SVC_SCHEDULER_BIND_HOST,
    port: settings.SVC_SCHEDULER_BIND_PORT,
    faults: () => scheduler.faults(),
    info: () => info(),
    metrics: settings.SVC_SCHEDULER_METRICS_ENABLED
      ? {
          contentType: metricsContentType,
          token: settings.SVC_SCHEDULER_METRICS_AUTH_TOKEN ?? null,
          text: () => scheduler.metrics.text(),
        }
      : null,
  }).catch((fault: unknown) => {
    brain.close();
    throw fault;
  });
  const url = settings.SVC_SCHEDULER_LEADER_PG_DSN;
  const answerMs = Math.max(1000, settings.SVC_SCHEDULER_LEADER_HEARTBEAT_SECONDS * 1000);
  const scheduler = runScheduler({
    settings,
    brain,
    clock,
    log,
    openLocks: url === undefined ? null : openPostgresLocks({ url, answerMs, log }),
  });
  const info = (): FullInfo => ({ version: manifest.version, instance_id: instanceId, ...scheduler.info() });
  log.info("scheduler.started", { instance_id: instanceId, host: server.host, port: server.port });

  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await scheduler.stop(graceMs);
    brain.close();
    await server.stop();
    log.info("scheduler.stopped", { instance_id: instanceId });
  }
  return {
    address: { host: server.host, port: server.port },
    info,
    faults: () => scheduler.faults(),
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function requireValid(settings: SchedulerSettings, hasBrain: boolean): void {
  const faults: { name: string; message: string }[] = [];
  checkSchedulerSettings(settings, (name, message) => {
    const isConnection = /_(?:BRAIN_GRPC_URL|TLS_CERT|TLS_KEY|TLS_CA|INSECURE_GRPC)$/.test(name);
    if (!hasBrain || !isConnection) faults.push({ name, message });
  });
  if (faults.length > 0) throw new SchedulerSettingsError(faults);
}

function connect(settings: SchedulerSettings, clock: SchedulerClock, log: SchedulerLog): Brain {
  return connectBrain({
    target: grpcTarget(settings.SVC_SCHEDULER_BRAIN_GRPC_URL ?? "") ?? "",
    tls: settings.SVC_SCHEDULER_INSECURE_GRPC ? null : openCertificates({ settings, clock, log }),
    keepaliveMs: settings.SVC_SCHEDULER_GRPC_KEEPALIVE_SECONDS * 1000,
    maxBackoffMs: settings.SVC_SCHEDULER_GRPC_RECONNECT_BACKOFF_MAX_SECONDS * 1000,
  });
}
