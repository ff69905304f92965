import { systemClock } from "../../platform/clock.ts";
import { openToOthers } from "../../platform/settings/home.ts";
import { type LoadedSettings, SettingsError } from "../../platform/settings.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { missingFile, offlineStorage } from "../offline/offline.ts";
import { type BrainSettings, loadBrainSettings, type SettingsSources } from "../settings/settings.ts";
import { DatabaseUnreachable, openStorage } from "../storage.ts";
import { about, type Finding, type FindingStatus, worst } from "./finding.ts";
import { checkAgents, checkClock } from "./fleet.ts";
import { checkDisk, checkPort, checkProxies } from "./machine.ts";
import { checkCertificate, checkMail } from "./outside.ts";
import { checkMigrations, checkSecrets, describeStore } from "./stored.ts";

export type { Finding };

/** `start`: what the service needs to start. `everything`: also what it needs to work well. */
export type Thoroughness = "start" | "everything";

export interface Diagnosis {
  readonly status: FindingStatus;
  readonly findings: readonly Finding[];
}

/** Checks the service from outside, running or not. Creates and changes nothing; takes seconds when a peer does not answer. */
export async function diagnose(
  thoroughness: Thoroughness,
  sources: Pick<SettingsSources, "env" | "cwd"> = {},
): Promise<Diagnosis> {
  const { loaded, findings } = readSettings(sources);
  if (loaded !== null) {
    const isThorough = thoroughness === "everything";
    const { values, home } = loaded;
    findings.push(...checkHome(home), ...(await checkDatabase(loaded, isThorough)));
    if (isThorough) {
      const checks = [
        checkProxies(values),
        checkPort(values),
        checkDisk(home, values.SVC_DATABASE_URL),
        checkCertificate(values.SVC_PUBLIC_URL, systemClock.now()),
        checkMail(values.SVC_MAIL_URL),
      ];
      findings.push(...(await Promise.all(checks)).flat());
    }
  }
  return { status: worst(findings), findings };
}

function readSettings(sources: Pick<SettingsSources, "env" | "cwd">): {
  loaded: LoadedSettings<BrainSettings> | null;
  findings: Finding[];
} {
  const { ok, warning, failed } = about("settings");
  try {
    const loaded = loadBrainSettings({ ...sources, mint: false });
    const warnings = loaded.warnings.map((message) => warning(message, "is it misspelt?"));
    return { loaded, findings: [ok("all values are valid"), ...warnings] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const advice = "see docs/reference/configuration.md for allowed values";
    const findings = error.faults.map(({ name, source, message }) => failed(`${name} (${source}) ${message}`, advice));
    return { loaded: null, findings };
  }
}

const checkHome = (home: string): Finding[] =>
  openToOthers(home).map((message) => about("home").warning(message, "remove access for group and others: chmod go="));

async function checkDatabase(loaded: LoadedSettings<BrainSettings>, isThorough: boolean): Promise<Finding[]> {
  const { ok, warning, failed } = about("database");
  const options = offlineStorage(loaded);
  const missing = missingFile(options);
  if (missing !== null)
    return [warning(`the file ${missing} does not exist`, "the service creates it on its first start")];
  let database: BrainDatabase;
  try {
    database = await openStorage(options);
  } catch (error) {
    if (!(error instanceof DatabaseUnreachable)) throw error;
    return [
      failed(error.message, "check SVC_DATABASE_URL, and whether the server accepts connections from this machine"),
    ];
  }
  try {
    const findings = [ok(await describeStore(database))];
    const migrations = await checkMigrations(database, loaded.values.SVC_AUTO_MIGRATE);
    findings.push(migrations.finding);
    if (migrations.isComplete) {
      findings.push(...(await checkSecrets(database, loaded.values)));
      if (isThorough) findings.push(...(await checkAgents(database, loaded.values, systemClock.now())));
    }
    if (isThorough) findings.push(await checkClock(database, systemClock));
    return findings;
  } finally {
    await database.close();
  }
}
