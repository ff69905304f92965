import { adminSettings } from "../../features/admin/index.ts";
import { agentTransportSettings } from "../../features/agent-transport/index.ts";
import { agentSettings } from "../../features/agents/index.ts";
import { auditSettings } from "../../features/audit/index.ts";
import { bulkRetrySettings } from "../../features/bulk-retries/index.ts";
import { checkRedispatch, commandSettings } from "../../features/commands/index.ts";
import { eventSettings } from "../../features/events/index.ts";
import { fireSettings } from "../../features/fires/index.ts";
import { checkRedactionPatterns, ingestSettings } from "../../features/ingest/index.ts";
import { mfaSettings } from "../../features/mfa/index.ts";
import { projectSettings } from "../../features/projects/index.ts";
import { reconciliationSettings } from "../../features/reconciliation/index.ts";
import {
  checkEmbeddedScheduler,
  checkSchedulerGrpc,
  embeddedSchedulerSettings,
  schedulerGrpcSettings,
} from "../../features/scheduler-grpc/index.ts";
import { schedulersSettings } from "../../features/schedulers/index.ts";
import { scheduleSettings } from "../../features/schedules/index.ts";
import { sessionSettings } from "../../features/sessions/index.ts";
import { setupSettings } from "../../features/setup/index.ts";
import { checkTaskRetention, taskSettings } from "../../features/tasks/index.ts";
import { checkDatabaseUrl, checkServerDatabase, databaseSettings } from "../../platform/database/settings.ts";
import { checkMailSender, mailSettings } from "../../platform/mail/settings.ts";
import { platformChecks, platformSettings } from "../../platform/settings/platform-settings.ts";
import { type LoadedSettings, loadSettings, type SettingsOf } from "../../platform/settings.ts";
import { knownSettingNames } from "./known-names.ts";
import { checkDashboardFolder, webSettings } from "./web-settings.ts";

/** Every setting of the brain, in the order of docs/reference/configuration.md. */
export const settingFragments = [
  ...platformSettings,
  databaseSettings,
  webSettings,
  setupSettings,
  sessionSettings,
  mfaSettings,
  mailSettings,
  projectSettings,
  auditSettings,
  agentSettings,
  agentTransportSettings,
  ingestSettings,
  eventSettings,
  fireSettings,
  taskSettings,
  commandSettings,
  bulkRetrySettings,
  reconciliationSettings,
  scheduleSettings,
  schedulerGrpcSettings,
  embeddedSchedulerSettings,
  schedulersSettings,
  adminSettings,
] as const;

export type BrainSettings = SettingsOf<typeof settingFragments>;

export interface SettingsSources {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** True refuses a database that only one process can use. */
  readonly needsServerDatabase?: boolean;
  /** False only reads: a secret that is not set stays empty. */
  readonly mint?: boolean;
}

/** Reads and checks all settings and creates missing secrets. @throws SettingsError with every error */
export function loadBrainSettings(sources: SettingsSources = {}): LoadedSettings<BrainSettings> {
  const { needsServerDatabase = false, ...places } = sources;
  const checks = [
    ...platformChecks,
    checkDatabaseUrl,
    checkMailSender,
    checkDashboardFolder,
    checkRedactionPatterns,
    checkTaskRetention,
    checkRedispatch,
    checkSchedulerGrpc,
  ];
  const loaded = loadSettings({
    ...places,
    fragments: settingFragments,
    alsoKnown: knownSettingNames,
    checks: needsServerDatabase ? [...checks, checkServerDatabase, checkEmbeddedScheduler] : checks,
  });
  const { values } = loaded;
  // With another port and no SVC_PUBLIC_URL, links must use that port.
  if (loaded.sources.get("SVC_PUBLIC_URL") === "default")
    values.SVC_PUBLIC_URL = `http://localhost:${values.SVC_BIND_PORT}`;
  return loaded;
}
