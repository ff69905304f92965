import { createReplaceableTls, type ReadTls, type ReplaceableTls, readTls } from "@svc/protocol";
import type { Static } from "typebox";
import type { Log } from "../../platform/log.ts";
import type { Metrics } from "../../platform/metrics.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { Audit } from "../audit/index.ts";
import { judgeNames, judgePlainText } from "./access/caller.ts";
import { CallStatus } from "./access/refusal.ts";
import { createUnaryCalls, type UnaryDeps } from "./calls/unary-calls.ts";
import { expiryOf } from "./certificates/certificate.ts";
import { createFireRate } from "./limits/fire-rate.ts";
import { createPlaces } from "./limits/places.ts";
import { createStreamSlots } from "./limits/stream-slots.ts";
import { type Listener, type ListenerDeps, type ListenerOptions, openListener } from "./listener.ts";
import { readTlsFiles, type schedulerGrpcSettings, tlsFaultText } from "./settings.ts";
import { statusCodes } from "./status-codes.ts";
import { createChangeSignal } from "./streams/change-signal.ts";
import { sendSnapshot } from "./streams/snapshot.ts";
import { sendChanges } from "./streams/watch.ts";

export interface SchedulerGrpcDeps extends Core, Omit<UnaryDeps, "database" | "clock" | "rate"> {
  readonly audit: Pick<Audit, "refused">;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: Static<typeof schedulerGrpcSettings>;
  readonly onError: (error: unknown) => void;
}

const defaultPort = 7701;
/** Each snapshot holds a connection of the database. A slow reader with one certificate must not delay the schedulers of others. */
const snapshotPlaces = { atOnce: 4, perCertificate: 2, waiting: 64 };

export interface ListenOptions extends Omit<ListenerOptions, "graceMs" | "tls"> {
  /** Null for plain text. */
  readonly tls: ReadTls | null;
}

/** The contract with schedulers: definitions and changes for them, fires from them. */
export function createSchedulerGrpc(deps: SchedulerGrpcDeps) {
  const { audit, clock, database, log, metrics, onError, settings } = deps;
  const signal = createChangeSignal({ database, onError });
  const slots = createStreamSlots({
    total: settings.SVC_SCHEDULER_GRPC_WATCH_MAX_CONCURRENT,
    perCertificate: settings.SVC_SCHEDULER_GRPC_WATCH_MAX_PER_CERT,
  });
  const snapshots = createPlaces(snapshotPlaces);
  const stopping = new AbortController();
  const rate = settings.SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_ENABLED
    ? createFireRate(
        { database, clock },
        {
          capacity: settings.SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_CAPACITY,
          perSecond: settings.SVC_SCHEDULER_GRPC_FIRE_RATE_LIMIT_PER_SECOND,
        },
      )
    : null;
  const served: ListenerDeps = {
    audit,
    log,
    calls: createUnaryCalls({ ...deps, rate }),
    snapshot: (call, caller) => snapshots.run(caller.certificate, () => sendSnapshot(call, caller, database)),
    async watch(call, caller) {
      const release = slots.take(caller.certificate);
      if (release === null) throw new CallStatus(statusCodes.RESOURCE_EXHAUSTED, "too many streams of changes");
      try {
        await sendChanges(call, caller, { database, signal, stopping: stopping.signal, onError });
      } finally {
        release();
      }
    },
  };
  metrics.gauge({
    name: "svc_scheduler_watch_streams",
    help: "schedulers that receive changes from this process",
    collect: (gauge) => gauge.set(slots.count()),
  });
  const listeners = new Map<Listener, ReplaceableTls | null>();
  const graceMs = settings.SVC_SCHEDULER_GRPC_WATCH_GRACE_SECONDS * 1000;

  /** @throws when the certificates cannot be used */
  function openTls(read: ReadTls): ReplaceableTls {
    const { texts, faults } = readTls(read);
    if (texts === null) throw new Error(faults.map(tlsFaultText).join("; "));
    return createReplaceableTls(texts, {
      read,
      onReplaced: ({ certificate }) =>
        log.info("scheduler_grpc.certificates_replaced", { expires_at: expiryOf(certificate).toISOString() }),
      onRejected: (found) =>
        log.warn("scheduler_grpc.certificates_rejected", {
          reason: `${found.map(tlsFaultText).join("; ")}. The previous certificates stay in use.`,
        }),
    });
  }

  /** Opens a further listener, which `stop` closes. @throws ListenRefused; the error of a certificate */
  async function listen({ tls: read, ...options }: ListenOptions): Promise<Listener> {
    const tls = read === null ? null : openTls(read);
    const { port, close } = await openListener({ ...options, tls: tls?.provider ?? null, graceMs }, served);
    const listener: Listener = {
      port,
      close() {
        listeners.delete(listener);
        return close();
      },
    };
    listeners.set(listener, tls);
    return listener;
  }

  return {
    /** Listens if the settings say so. @throws ListenRefused; the error of a TLS file */
    async start(): Promise<void> {
      await signal.start();
      if (!settings.SVC_SCHEDULER_GRPC_ENABLED) return;
      const { port } = await listen(configuredListener(settings));
      log.info("scheduler_grpc.started", { port });
    },
    listen,
    /** Uses certificates that have changed for new connections. */
    reloadCertificates(): void {
      for (const tls of listeners.values()) tls?.reload();
    },
    /** After the commit of a change of definition or control: sends it to schedulers, also through other processes. */
    changed: signal.changed,
    /** Sends changes whose notification was lost, and confirms to schedulers that their state is current. */
    poll: signal.refresh,
    /** Ends the streams and waits for calls in progress. */
    async stop(): Promise<void> {
      stopping.abort(new CallStatus(statusCodes.UNAVAILABLE, "the service is stopping"));
      await Promise.all([...listeners.keys()].map((listener) => listener.close()));
      await signal.stop();
    },
  };
}

export type SchedulerGrpc = ReturnType<typeof createSchedulerGrpc>;

function configuredListener(settings: SchedulerGrpcDeps["settings"]): ListenOptions {
  const place = {
    host: settings.SVC_SCHEDULER_GRPC_BIND_HOST,
    port: settings.SVC_SCHEDULER_GRPC_BIND_PORT ?? defaultPort,
  };
  if (settings.SVC_SCHEDULER_GRPC_INSECURE) return { ...place, tls: null, judge: judgePlainText };
  return {
    ...place,
    tls: readTlsFiles(settings),
    judge: judgeNames({
      allowed: settings.SVC_SCHEDULER_GRPC_ALLOWED_CNS,
      requiresList: settings.SVC_SCHEDULER_GRPC_REQUIRE_ALLOWLIST,
      bindings: settings.SVC_SCHEDULER_GRPC_CN_PROJECT_BINDINGS,
    }),
  };
}
