import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll } from "vitest";
import { startBrainWithSite } from "../window/screen.ts";
import type { Site } from "./page-case.ts";
import { fillSite } from "./pages.ts";

/** Filled before the first test of the file that asked for it. */
export interface OpenedSite {
  brain: TestBrain;
  site: Site;
}

/** A brain with what every page of the table has to show, and a browser, for one file of tests. */
export function openSite(): OpenedSite {
  const opened = {} as OpenedSite;
  beforeAll(async () => {
    opened.brain = await startBrainWithSite();
    opened.site = await fillSite(opened.brain);
  });
  afterAll(() => opened.brain?.stop());
  return opened;
}
