import type { Tx } from "../../platform/database/database.ts";
import { findMeta, saveMeta } from "../../schema/meta-store.ts";
import type { Db, Tables } from "../../schema/tables/index.ts";

const versionsKey = "known_versions";

/** The stored snapshot of known versions as JSON text; undefined before the first check. */
export const readVersions = (db: Db): Promise<string | undefined> => findMeta(db, versionsKey);

export const saveVersions = (tx: Tx<Tables>, value: string): Promise<void> => saveMeta(tx, versionsKey, value);
