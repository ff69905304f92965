import type { TestProject } from "vitest/node";
import { type ChromiumLaunch, chromiumLaunch, findChromium } from "./chromium.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** What starts the browser with playwright-core. */
    chromiumLaunch: ChromiumLaunch;
  }
}

/** Finds the browser once for a vitest project, and fails the run with the command to type when there is none. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("chromiumLaunch", chromiumLaunch(await findChromium()));
}
