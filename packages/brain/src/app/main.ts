import { randomUUID } from "node:crypto";
import manifest from "../../package.json" with { type: "json" };
import type { StartEmbedded } from "../features/scheduler-grpc/index.ts";
import { isCounted } from "../features/stats/index.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { ApiError } from "../platform/http/error-codes.ts";
import { createLog } from "../platform/log.ts";
import { createMetrics, type Figures } from "../platform/metrics.ts";
import { type Brain, createBrain } from "./brain.ts";
import { type DemoSeed, seedDemo } from "./offline/demo-seed.ts";
import { secretFault } from "./offline/secret-fault.ts";
import { loadBrainSettings, type SettingsSources } from "./settings/settings.ts";
import { openStorage, prepareSchema, secureDatabase, storageOptions } from "./storage.ts";

/** What a process knows about the others that listen on the same port and act as one service. */
export interface Siblings {
  /** Whether this is the first process, which begins the setup and is ready before the others start. */
  readonly isFirst: boolean;
  /** The figures of the others, for /metrics; rejects when one of them does not report in time. */
  gatherFigures(): Promise<readonly Figures[]>;
}

export interface StartOptions extends Omit<SettingsSources, "needsServerDatabase"> {
  /** Prints the one-time setup link of the first start, and every later one while no account exists. */
  readonly announce?: (url: string) => void;
  /** Where log lines go; standard output by default. */
  readonly writeLog?: (line: string) => void;
  /** Port to listen on instead of SVC_BIND_PORT; 0 picks a free one. For tests and the demo. */
  readonly port?: number;
  /** The system's clock by default. For tests. */
  readonly clock?: Clock;
  /** Set when several processes share the port; they need a server database. */
  readonly siblings?: Siblings;
  /** Starts the scheduler that SVC_EMBEDDED_SCHEDULER asks for; without it, none runs. */
  readonly startScheduler?: StartEmbedded;
}

/** A brain that listens. */
export interface RunningBrain {
  readonly port: number;
  /** SVC_PUBLIC_URL: the address people use. */
  readonly publicUrl: string;
  readonly brain: Brain;
  /** The metrics of this process alone, for its siblings. */
  figures(): Promise<Figures>;
  seedDemo(names: DemoSeed): Promise<{ token: string; hmacSecret: string; agentId: string }>;
  /** Whether the charts include every stored event. */
  isCounted(): Promise<boolean>;
  /** Drains and closes; within 10 s. */
  stop(): Promise<void>;
}

/**
 * Reads the settings, brings the database up to date, and starts one brain process.
 *
 * @throws SettingsError for settings, the database's or the listener's error otherwise; nothing is left running then.
 */
export async function startBrain(options: StartOptions = {}): Promise<RunningBrain> {
  const { siblings, clock = systemClock } = options;
  const loaded = loadBrainSettings({ ...options, needsServerDatabase: siblings !== undefined });
  const settings = loaded.values;
  const log = createLog({
    level: settings.SVC_LOG_LEVEL,
    json: settings.SVC_LOG_JSON,
    ...(options.writeLog !== undefined && { write: options.writeLog }),
  });
  const storage = storageOptions(loaded, log);
  for (const warning of [...loaded.warnings, ...secureDatabase(storage)]) log.warn("settings.warning", { warning });
  const metrics = createMetrics(siblings && (() => siblings.gatherFigures().catch(refuseMetrics)));
  const deadlocks = metrics.counter({
    name: "svc_database_deadlocks_total",
    help: "transactions that the database aborted because of a deadlock",
  });
  const database = await openStorage({ ...storage, onDeadlock: () => deadlocks.inc() });
  try {
    const applied = await prepareSchema(database, settings, clock.now());
    if (applied.length > 0) log.info("database.migrated", { applied });
    const brain = await createBrain({
      settings,
      settingRows: loaded.rows(),
      database,
      clock,
      log,
      metrics,
      version: manifest.version,
      processId: `${process.pid}-${randomUUID().slice(0, 8)}`,
      startScheduler: options.startScheduler ?? null,
      announce: options.announce ?? ((url) => log.warn("setup.link", { url })),
    });
    try {
      const { port } = await brain.start({
        host: settings.SVC_BIND_HOST,
        port: options.port ?? settings.SVC_BIND_PORT,
        beginsSetup: siblings?.isFirst ?? true,
      });
      log.info("brain.started", { port, database: database.dialect, version: manifest.version });
      return {
        port,
        publicUrl: settings.SVC_PUBLIC_URL.replace(/\/$/, ""),
        brain,
        figures: () => metrics.figures(),
        seedDemo: (names) => seedDemo(brain.features, names),
        isCounted: () => isCounted(database),
        stop: () => brain.stop(),
      };
    } catch (error) {
      await brain.stop();
      throw secretFault(loaded, error) ?? error;
    }
  } catch (error) {
    await database.close().catch(() => {});
    throw error;
  }
}

function refuseMetrics(cause: unknown): never {
  throw new ApiError("unready", { reason: "workers" }, { cause, message: "a worker process did not respond" });
}
