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

/** What the database is and how fast it answers, in words. */
export async function lookAtStore(database: BrainDatabase): Promise<string> {
  const startedMs = systemClock.monotonicMs();
  await database.ping();
  const latencyMs = Math.max(1, Math.round(systemClock.monotonicMs() - startedMs));
  const { version, sizeBytes } = await readDatabaseFacts(database);
  const size = sizeBytes === null ? "" : `, ${Math.ceil(sizeBytes / 1_048_576)} MiB`;
  return `${names[database.dialect]} ${version} answers in ${latencyMs} ms${size}`;
}

/** `isComplete` means that every table is there. */
export async function lookAtMigrations(
  database: BrainDatabase,
  isAutomatic: boolean,
): Promise<{ finding: Finding; isComplete: boolean }> {
  const { ok, warning, failed } = about("migrations");
  const { newest, missing, unknown } = await migrationState(database);
  if (unknown.length > 0) {
    const finding = failed(`the database is newer than this program: ${unknown.join(", ")}`, "run the newer program");
    return { finding, isComplete: false };
  }
  if (missing.length === 0) return { finding: ok(`all applied, the newest is ${newest}`), isComplete: true };
  const message = `missing: ${missing.join(", ")}`;
  const finding = isAutomatic
    ? warning(message, "the next start of the service applies them")
    : failed(message, "SVC_AUTO_MIGRATE is off: start the service once with SVC_AUTO_MIGRATE=true");
  return { finding, isComplete: false };
}

const kinds = [
  ["SVC_SECRET", "SVC_PREVIOUS_SECRETS"],
  ["SVC_SESSION_SECRET", "SVC_PREVIOUS_SESSION_SECRETS"],
  ["SVC_AUDIT_CHAIN_SECRET", "SVC_AUDIT_CHAIN_PREVIOUS_SECRETS"],
] as const;

/** Whether the secrets are those of the database: of SVC_SECRET it holds a key id, with the audit secret its chain's state is signed. */
export async function lookAtSecrets(database: BrainDatabase, settings: BrainSettings): Promise<Finding[]> {
  const { failed } = about("secrets");
  const absent = kinds.filter(([name]) => settings[name] === "");
  const findings = absent.map(([name]) =>
    failed(`${name} is set nowhere`, "bring back the secret.env that belongs to the database, or name its value"),
  );
  const isSet = (name: string) => !absent.some(([gone]) => gone === name);
  if (isSet("SVC_SECRET")) findings.push(await lookAtMaster(database, settings));
  if (isSet("SVC_AUDIT_CHAIN_SECRET")) findings.push(await lookAtChain(database, settings));
  return findings;
}

const otherSecret = (previous: string) =>
  `set the secret that the database was made with, or name it in ${previous} when it was replaced`;

async function lookAtMaster(database: BrainDatabase, settings: BrainSettings): Promise<Finding> {
  const { ok, warning, failed } = about("secrets");
  const masters = createKeyring(settings.SVC_SECRET, settings.SVC_PREVIOUS_SECRETS);
  switch (await masterFit(database, masters)) {
    case "none":
      return ok("SVC_SECRET: the next start binds the database to it");
    case "current":
      return ok("SVC_SECRET is that of the database");
    case "earlier":
      return warning("SVC_SECRET is newer than the database", "agents must be minted again after the next start");
    case "other":
      return failed("SVC_SECRET is not that of the database", otherSecret("SVC_PREVIOUS_SECRETS"));
  }
}

async function lookAtChain(database: BrainDatabase, settings: BrainSettings): Promise<Finding> {
  const { ok, failed } = about("audit");
  const secrets = createKeyring(settings.SVC_AUDIT_CHAIN_SECRET, settings.SVC_AUDIT_CHAIN_PREVIOUS_SECRETS);
  const audit = createAudit({ database, clock: systemClock, secrets, onError: () => {} });
  try {
    return ok((await audit.checkState()) ? "the chain's state authenticates" : "the next start begins the chain");
  } catch (error) {
    if (error instanceof UnknownChainKey) {
      const advice = otherSecret("SVC_AUDIT_CHAIN_PREVIOUS_SECRETS");
      return failed("SVC_AUDIT_CHAIN_SECRET is not the one that signed the chain's state", advice);
    }
    return failed(
      error instanceof Error ? error.message : String(error),
      "svc audit verify tells which rows are sound",
    );
  }
}
