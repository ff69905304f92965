import type { TestBrain } from "@svc/testkit/brain";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillSite, pages, type Site } from "./pages.ts";
import { axeFaults, launchBrowser, openScreen, startBrainWithSite } from "./screen.ts";

let brain: TestBrain;
let browser: Browser;
let site: Site;

beforeAll(async () => {
  [brain, browser] = await Promise.all([startBrainWithSite(), launchBrowser()]);
  site = await fillSite(brain);
});
afterAll(async () => {
  await browser?.close();
  await brain?.stop();
});

describe.each(["light", "dark"] as const)("in %s", (theme) => {
  describe.each(["desktop", "phone"] as const)("on a %s", (size) => {
    test.each(Object.entries(pages))("%s is whole, reachable and loads nothing from elsewhere", async (_name, one) => {
      const cookie = one.isAnonymous ? "" : brain.as.root.cookie;
      const { page, faults } = await openScreen(browser, brain, { cookie, theme, size });
      await page.goto(one.path(site));
      await one.ready(page);

      expect(await page.title()).toMatch(one.title);
      expect(await page.locator("h1").count()).toBe(1);
      expect(await page.locator("main").count()).toBe(1);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });
});
