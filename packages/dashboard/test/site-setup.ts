import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder of the dashboard as it is built for production, from the present sources. */
    dashboardSite: string;
  }
}

/** Builds the dashboard once for the run, so that its screens are tested as they are delivered and never as they were. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "svc-dashboard-"));
  const root = join(import.meta.dirname, "..");
  const vite = join(dirname(createRequire(join(root, "package.json")).resolve("vite/package.json")), "bin/vite.js");
  const build = spawn(process.execPath, [vite, "build", "--logLevel", "warn", "--outDir", folder], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = Promise.all([text(build.stdout), text(build.stderr)]);
  const code = await new Promise<number | null>((resolve, reject) =>
    build.once("error", reject).once("close", resolve),
  );
  if (code !== 0) throw new Error(`the dashboard could not be built:\n${(await output).join("")}`);
  project.provide("dashboardSite", folder);
  return () => rm(folder, { recursive: true, force: true });
}
