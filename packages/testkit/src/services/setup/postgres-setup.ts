import type { TestProject } from "vitest/node";
import { startPostgres } from "../postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Admin URL of the run's PostgreSQL, for `createTestDatabase`. */
    postgresUrl: string;
  }
}

/** Starts one PostgreSQL for a vitest project; tests reach it with `inject("postgresUrl")`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide("postgresUrl", server.adminUrl);
  return server.stop;
}
