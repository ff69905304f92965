import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll } from "vitest";
import { startBrainWithSite } from "../window/screen.ts";
import type { Site } from "./page-case.ts";
import { fillSite } from "./pages.ts";

/** Filled before the first test of the file that called `openSite`. */
export interface OpenedSite {
  brain: TestBrain;
  site: Site;
}

/** A brain with data for every page of the table, and a browser, for one test file. */
export function openSite(): OpenedSite {
  const opened = {} as OpenedSite;
  beforeAll(async () => {
    opened.brain = await startBrainWithSite();
    opened.site = await fillSite(opened.brain);
  });
  afterAll(() => opened.brain?.stop());
  return opened;
}
