import { createTestDatabase } from "@svc/testkit";
import type { BenchContext } from "./suite.ts";

/** Measures on a PostgreSQL database that is made for it and removed at its end. */
export async function onFreshPostgres<T>(
  context: BenchContext,
  measure: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const { url, drop } = await createTestDatabase(await context.postgres());
  try {
    return await measure(url);
  } finally {
    await drop();
  }
}
