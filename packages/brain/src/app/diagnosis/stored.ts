import { createAudit, UnknownChainKey } from "../../features/audit/index.ts";
import { masterFit } from "../../features/setup/index.ts";
import { systemClock } from "../../platform/clock.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { readDatabaseFacts } from "../../platform/database/dialects/database-facts.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import type { BrainSettings } from "../settings/settings.ts";
import { migrationState } from "../storage.ts";
import { about, type Finding } from "./finding.ts";

const names = { postgres: "PostgreSQL", sqlite: "SQLite" };

/** Describes the database and how fast it answers. */
export async function describeStore(database: BrainDatabase): Promise<string> {
  const startedMs = systemClock.monotonicMs();
  await database.ping();
  const latencyMs = Math.max(1, Math.round(systemClock.monotonicMs() - startedMs));
  const { version, sizeBytes } = await readDatabaseFacts(database);
  const size = sizeBytes === null ? "" : `, ${Math.ceil(sizeBytes / 1_048_576)} MiB`;
  return `${names[database.dialect]} ${version} answers in ${latencyMs} ms${size}`;
}

/** `isComplete` means that every table exists. */
export async function checkMigrations(
  database: BrainDatabase,
  isAutomatic: boolean,
): Promise<{ finding: Finding; isComplete: boolean }> {
  const { ok, warning, failed } = about("migrations");
  const { newest, missing, unknown } = await migrationState(database);
  if (unknown.length > 0) {
    const finding = failed(`the database is newer than this program: ${unknown.join(", ")}`, "run the newer version");
    return { finding, isComplete: false };
  }
  if (missing.length === 0) return { finding: ok(`all applied, the newest is ${newest}`), isComplete: true };
  const message = `missing: ${missing.join(", ")}`;
  const finding = isAutomatic
    ? warning(message, "the service applies them when it starts")
    : failed(message, "SVC_AUTO_MIGRATE is off: start the service once with SVC_AUTO_MIGRATE=true");
  return { finding, isComplete: false };
}

const kinds = [
  ["SVC_SECRET", "SVC_PREVIOUS_SECRETS"],
  ["SVC_SESSION_SECRET", "SVC_PREVIOUS_SESSION_SECRETS"],
  ["SVC_AUDIT_CHAIN_SECRET", "SVC_AUDIT_CHAIN_PREVIOUS_SECRETS"],
] as const;

/** Whether the secrets match the database: it stores a key id of SVC_SECRET, and the state of the audit chain is signed with the audit secret. */
export async function checkSecrets(database: BrainDatabase, settings: BrainSettings): Promise<Finding[]> {
  const { failed } = about("secrets");
  const absent = kinds.filter(([name]) => settings[name] === "");
  const findings = absent.map(([name]) =>
    failed(`${name} is not set`, "restore the secret.env that belongs to the database, or set its value"),
  );
  const isSet = (name: string) => !absent.some(([absentName]) => absentName === name);
  if (isSet("SVC_SECRET")) findings.push(await checkMaster(database, settings));
  if (isSet("SVC_AUDIT_CHAIN_SECRET")) findings.push(await checkChain(database, settings));
  return findings;
}

const otherSecret = (previous: string) =>
  `set the secret that the database was created with, or add it to ${previous} if it was replaced`;

async function checkMaster(database: BrainDatabase, settings: BrainSettings): Promise<Finding> {
  const { ok, warning, failed } = about("secrets");
  const masters = createKeyring(settings.SVC_SECRET, settings.SVC_PREVIOUS_SECRETS);
  switch (await masterFit(database, masters)) {
    case "none":
      return ok("SVC_SECRET: the service binds the database to it when it starts");
    case "current":
      return ok("SVC_SECRET matches the database");
    case "earlier":
      return warning("SVC_SECRET is newer than the database", "agents must be created again after the next start");
    case "other":
      return failed("SVC_SECRET does not match the database", otherSecret("SVC_PREVIOUS_SECRETS"));
  }
}

async function checkChain(database: BrainDatabase, settings: BrainSettings): Promise<Finding> {
  const { ok, failed } = about("audit");
  const secrets = createKeyring(settings.SVC_AUDIT_CHAIN_SECRET, settings.SVC_AUDIT_CHAIN_PREVIOUS_SECRETS);
  const audit = createAudit({ database, clock: systemClock, secrets, onError: () => {} });
  try {
    return ok(
      (await audit.checkState())
        ? "the state of the chain is authentic"
        : "the service begins the chain when it starts",
    );
  } catch (error) {
    if (error instanceof UnknownChainKey) {
      const advice = otherSecret("SVC_AUDIT_CHAIN_PREVIOUS_SECRETS");
      return failed("SVC_AUDIT_CHAIN_SECRET did not sign the state of the chain", advice);
    }
    return failed(
      error instanceof Error ? error.message : String(error),
      "run svc audit verify to see which rows are valid",
    );
  }
}
