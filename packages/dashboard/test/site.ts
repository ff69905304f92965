import type { TestBrain } from "@svc/testkit/brain";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import type { Site } from "./page-case.ts";
import { fillSite } from "./pages.ts";
import { launchBrowser, startBrainWithSite } from "./screen.ts";

/** Filled before the first test of the file that asked for it. */
export interface OpenedSite {
  brain: TestBrain;
  browser: Browser;
  site: Site;
}

/** A brain with what every page of the table has to show, and a browser, for one file of tests. */
export function openSite(): OpenedSite {
  const opened = {} as OpenedSite;
  beforeAll(async () => {
    [opened.brain, opened.browser] = await Promise.all([startBrainWithSite(), launchBrowser()]);
    opened.site = await fillSite(opened.brain);
  });
  afterAll(async () => {
    await opened.browser?.close();
    await opened.brain?.stop();
  });
  return opened;
}
