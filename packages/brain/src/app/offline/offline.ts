import { existsSync } from "node:fs";
import { sqlitePath } from "../../platform/database/open.ts";
import { createLog } from "../../platform/log.ts";
import { secureHome } from "../../platform/settings/file-modes.ts";
import { type LoadedSettings, SettingsError } from "../../platform/settings.ts";
import type { BrainSettings } from "../settings/settings.ts";
import { DatabaseUnreachable, type StorageOptions, secureDatabase, storageOptions } from "../storage.ts";

type SecretName = "SVC_SECRET" | "SVC_SESSION_SECRET" | "SVC_AUDIT_CHAIN_SECRET";

/** How a command outside the service opens the configured database: quietly, with two connections. */
export function offlineStorage(loaded: LoadedSettings<BrainSettings>): StorageOptions {
  const log = createLog({ level: "error", json: true, write: () => {} });
  return { ...storageOptions(loaded, log), poolSize: 2, maxOverflow: 0 };
}

/** The path of a missing file of an embedded database; null when it exists and for a server database. */
export function missingFile({ url }: Pick<StorageOptions, "url">): string | null {
  const path = url.startsWith("sqlite:") ? sqlitePath(url) : null;
  return path === null || existsSync(path) ? null : path;
}

/** Opening would create the file. @throws DatabaseUnreachable for an embedded database without its file. */
export function requireFile(options: Pick<StorageOptions, "url">): void {
  const path = missingFile(options);
  if (path !== null) throw new DatabaseUnreachable(`the database file ${path} does not exist`);
}

/** Corrects file permissions before a command opens the database. What cannot be corrected is reported by svc serve and svc check. */
export function secureOffline({ home }: LoadedSettings<BrainSettings>, options: Pick<StorageOptions, "url">): void {
  secureHome(home);
  secureDatabase(options);
}

/** @throws SettingsError with each of these secrets that is not set, when settings were read without creating secrets. */
export function requireSecrets({ values }: LoadedSettings<BrainSettings>, names: readonly SecretName[]): void {
  const faults = names
    .filter((name) => values[name] === "")
    .map((name) => ({ name, source: "unset", message: "is required: the database was created with one" }));
  if (faults.length > 0) throw new SettingsError(faults);
}
