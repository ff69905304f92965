import { existsSync } from "node:fs";
import { sqlitePath } from "../../platform/database/open.ts";
import { createLog } from "../../platform/log.ts";
import { secureHome } from "../../platform/settings/file-modes.ts";
import { type LoadedSettings, SettingsError } from "../../platform/settings.ts";
import type { BrainSettings } from "../settings/settings.ts";
import { DatabaseUnreachable, type StorageOptions, secureDatabase, storageOptions } from "../storage.ts";

type SecretName = "SVC_SECRET" | "SVC_SESSION_SECRET" | "SVC_AUDIT_CHAIN_SECRET";

/** How a command beside the service opens the settings' database: quietly, with two connections. */
export function offlineStorage(loaded: LoadedSettings<BrainSettings>): StorageOptions {
  const log = createLog({ level: "error", json: true, write: () => {} });
  return { ...storageOptions(loaded, log), poolSize: 2, maxOverflow: 0 };
}

/** The path of an embedded database's file that does not exist; null when it does, and for a server database. */
export function missingFile({ url }: Pick<StorageOptions, "url">): string | null {
  const path = url.startsWith("sqlite:") ? sqlitePath(url) : null;
  return path === null || existsSync(path) ? null : path;
}

/** Opening would make it. @throws DatabaseUnreachable for an embedded database without its file. */
export function requireFile(options: Pick<StorageOptions, "url">): void {
  const path = missingFile(options);
  if (path !== null) throw new DatabaseUnreachable(`the database file ${path} does not exist`);
}

/** Corrects what others may read before a command opens it. What cannot be corrected is reported by the service's start and by svc check. */
export function secureOffline({ home }: LoadedSettings<BrainSettings>, options: Pick<StorageOptions, "url">): void {
  secureHome(home);
  secureDatabase(options);
}

/** @throws SettingsError with every one of these secrets that is set nowhere, when settings were read without minting. */
export function requireSecrets({ values }: LoadedSettings<BrainSettings>, names: readonly SecretName[]): void {
  const faults = names
    .filter((name) => values[name] === "")
    .map((name) => ({ name, source: "unset", message: "is needed: the database was made with one" }));
  if (faults.length > 0) throw new SettingsError(faults);
}
