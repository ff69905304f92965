import type {} from "@svc/testkit/services/chromium-setup";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the run's browser listens, for `chromium.connect`. */
    browserEndpoint: string;
  }
}

/** Starts one browser for the run, of what `chromium-setup.ts` found: files share its processes and code caches, and nothing else, as each window has a context of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { executablePath, args } = project.getProvidedContext().chromiumLaunch;
  const server = await chromium.launchServer({ executablePath, args: [...args] });
  project.provide("browserEndpoint", server.wsEndpoint());
  return () => server.close();
}
