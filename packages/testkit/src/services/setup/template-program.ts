import { migrateStorage, openStorage } from "@svc/brain/storage";
import { databaseLimits } from "../../database-limits.ts";

/** Migrates the databases in its arguments: see template-setup.ts. */
for (const url of process.argv.slice(2)) {
  const database = await openStorage({ url, ...databaseLimits });
  await migrateStorage(database, new Date(), 30_000);
  await database.checkpoint();
  await database.close();
}
