import type { StartEmbedded } from "../features/scheduler-grpc/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { SettingRow } from "../platform/settings.ts";
import type { BrainDatabase } from "../schema/tables/index.ts";
import type { BrainSettings } from "./settings/settings.ts";

/** What one brain process is built from. */
export interface BrainDeps {
  readonly settings: BrainSettings;
  /** The effective settings as text, secrets masked. */
  readonly settingRows: readonly SettingRow[];
  readonly database: BrainDatabase;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly version: string;
  /** Identifies this process among the replicas; also sent as X-SVC-LongPoll-Worker. */
  readonly processId: string;
  /** Prints a setup link where only the operator sees it. */
  readonly announce: (url: string) => void;
  readonly isStarted: () => boolean;
  /** Starts a scheduler in this process; null where none can run. */
  readonly startScheduler: StartEmbedded | null;
}
