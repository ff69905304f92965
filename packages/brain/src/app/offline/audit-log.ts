import { type Audit, type ChainUpkeep, createAudit, createUpkeep } from "../../features/audit/index.ts";
import { systemClock } from "../../platform/clock.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { isInUse } from "../../platform/database/in-use.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { type BrainSettings, loadBrainSettings, type SettingsSources } from "../settings/settings.ts";
import { checkStorage, DatabaseUnreachable, openStorage } from "../storage.ts";
import { offlineStorage, requireFile, requireSecrets, secureOffline } from "./offline.ts";

export { type AnchorFault, type HeadAnchor, parseAnchor, UnknownChainKey } from "../../features/audit/index.ts";
export { parseInstant } from "../../platform/http/schemas.ts";

export interface AuditLog extends ChainUpkeep {
  readonly settings: BrainSettings;
  close(): Promise<void>;
}

/** Thrown when a service is running on a database that must not be in use. */
export class DatabaseInUse extends Error {}

/**
 * Opens the audit chain of the configured database without starting a service. Creates nothing: no database, no secret.
 *
 * @param options.alone refuses while any process has the database open.
 * @throws SettingsError, DatabaseUnreachable, DatabaseInUse, SchemaMismatch.
 */
export async function openAuditLog(sources: SettingsSources, { alone = false } = {}): Promise<AuditLog> {
  const loaded = loadBrainSettings({ ...sources, mint: false });
  const settings = loaded.values;
  requireSecrets(loaded, ["SVC_AUDIT_CHAIN_SECRET"]);
  const options = offlineStorage(loaded);
  requireFile(options);
  secureOffline(loaded, options);
  if (alone && (await inUse(options))) throw new DatabaseInUse("a service is running on this database; stop it first");
  const database = await openStorage(options);
  try {
    await checkStorage(database);
    const secrets = createKeyring(settings.SVC_AUDIT_CHAIN_SECRET, settings.SVC_AUDIT_CHAIN_PREVIOUS_SECRETS);
    return { settings, ...createUpkeep({ database, secrets, clock: systemClock }), close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function inUse(options: Parameters<typeof isInUse>[0]): Promise<boolean> {
  try {
    return await isInUse(options);
  } catch (cause) {
    throw new DatabaseUnreachable("cannot determine whether the database is in use", { cause });
  }
}

/** The chain of an open database, without the rest of a brain: for benchmarks and tests of the format. */
export function openAuditAlone(database: BrainDatabase, secret: string): { audit: Audit; upkeep: ChainUpkeep } {
  const deps = { database, secrets: createKeyring(secret), clock: systemClock };
  return { audit: createAudit({ ...deps, onError: () => {} }), upkeep: createUpkeep(deps) };
}
