import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createTestDatabase } from "../postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of a migrated SQLite database to copy. */
    sqliteTemplate: string | undefined;
    /** Name of a migrated database on the run's PostgreSQL. */
    postgresTemplate: string | undefined;
  }
}

/** Migrates one database of each dialect in the project, so that tests can copy it instead of migrating their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "svc-template-"));
  const file = join(folder, "svc.db");
  const adminUrl = project.getProvidedContext().postgresUrl as string | undefined;
  const server = adminUrl === undefined ? null : await createTestDatabase(adminUrl);
  const program = join(import.meta.dirname, "template-program.ts");
  const urls = [`sqlite://${file}`, ...(server === null ? [] : [server.url])];
  const child = spawn(process.execPath, [program, ...urls], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("could not create the template databases");
  project.provide("sqliteTemplate", file);
  if (server !== null) project.provide("postgresTemplate", new URL(server.url).pathname.slice(1));
  return async () => {
    await server?.drop();
    await rm(folder, { recursive: true, force: true });
  };
}
