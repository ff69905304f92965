import { systemClock } from "../../platform/clock.ts";
import { openToOthers } from "../../platform/settings/home.ts";
import { type LoadedSettings, SettingsError } from "../../platform/settings.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { missingFile, offlineStorage } from "../offline/offline.ts";
import { type BrainSettings, loadBrainSettings, type SettingsSources } from "../settings/settings.ts";
import { DatabaseUnreachable, openStorage } from "../storage.ts";
import { about, type Finding, type FindingStatus, worst } from "./finding.ts";
import { lookAtAgents, lookAtClock } from "./fleet.ts";
import { lookAtDisk, lookAtPort, lookAtProxies } from "./machine.ts";
import { lookAtCertificate, lookAtMail } from "./outside.ts";
import { lookAtMigrations, lookAtSecrets, lookAtStore } from "./stored.ts";

export type { Finding };

/** `start`: what a start of the service needs. `everything`: what it needs to do its work well, too. */
export type Thoroughness = "start" | "everything";

export interface Diagnosis {
  readonly status: FindingStatus;
  readonly findings: readonly Finding[];
}

/** Looks at the service from outside, whether it is running or not. Makes and changes nothing; takes seconds where nothing answers. */
export async function diagnose(
  thoroughness: Thoroughness,
  sources: Pick<SettingsSources, "env" | "cwd"> = {},
): Promise<Diagnosis> {
  const { loaded, findings } = readSettings(sources);
  if (loaded !== null) {
    const isThorough = thoroughness === "everything";
    const { values, home } = loaded;
    findings.push(...lookAtHome(home), ...(await lookAtDatabase(loaded, isThorough)));
    if (isThorough) {
      const looks = [
        lookAtProxies(values),
        lookAtPort(values),
        lookAtDisk(home, values.SVC_DATABASE_URL),
        lookAtCertificate(values.SVC_PUBLIC_URL, systemClock.now()),
        lookAtMail(values.SVC_MAIL_URL),
      ];
      findings.push(...(await Promise.all(looks)).flat());
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
    const advice = "docs/reference/configuration.md tells ranges and meanings";
    const findings = error.faults.map(({ name, source, message }) => failed(`${name} (${source}) ${message}`, advice));
    return { loaded: null, findings };
  }
}

const lookAtHome = (home: string): Finding[] =>
  openToOthers(home).map((message) =>
    about("home").warning(message, "take the rights of group and others away: chmod go="),
  );

async function lookAtDatabase(loaded: LoadedSettings<BrainSettings>, isThorough: boolean): Promise<Finding[]> {
  const { ok, warning, failed } = about("database");
  const options = offlineStorage(loaded);
  const missing = missingFile(options);
  if (missing !== null)
    return [warning(`the file ${missing} does not exist`, "the first start of the service makes it")];
  let database: BrainDatabase;
  try {
    database = await openStorage(options);
  } catch (error) {
    if (!(error instanceof DatabaseUnreachable)) throw error;
    return [failed(error.message, "see SVC_DATABASE_URL, and whether the server lets this machine in")];
  }
  try {
    const findings = [ok(await lookAtStore(database))];
    const migrations = await lookAtMigrations(database, loaded.values.SVC_AUTO_MIGRATE);
    findings.push(migrations.finding);
    if (migrations.isComplete) {
      findings.push(...(await lookAtSecrets(database, loaded.values)));
      if (isThorough) findings.push(...(await lookAtAgents(database, loaded.values, systemClock.now())));
    }
    if (isThorough) findings.push(await lookAtClock(database, systemClock));
    return findings;
  } finally {
    await database.close();
  }
}
