import type { TestBrain } from "@svc/testkit/brain";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser, openScreen, startBrainWithSite } from "./screen.ts";
import { tellSample } from "./task-traffic.ts";

let brain: TestBrain;
let browser: Browser;

beforeAll(async () => {
  [brain, browser] = await Promise.all([startBrainWithSite(), launchBrowser()]);
  await tellSample(brain, await brain.connectAgent());
});
afterAll(async () => {
  await browser?.close();
  await brain?.stop();
});

describe("the first screen", () => {
  test("lists tasks and follows them after at most 15 requests", async () => {
    const { page, faults } = await openScreen(browser, brain, { cookie: brain.as.root.cookie });
    const requests: string[] = [];
    page.on("request", (request) => {
      const { origin, pathname, search } = new URL(request.url());
      if (origin === brain.url) requests.push(pathname + search);
    });
    await page.goto(`/p/${brain.project.slug}/tasks`);
    await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    await page.waitForLoadState("networkidle");

    // The stream's own connection is no request of the page's, but the reads that close the gap before it count.
    expect(requests).toSatisfy((all: string[]) => all.length <= 15);
    expect(new Set(requests.filter((path) => !path.startsWith("/api/"))).size).toBeLessThanOrEqual(7);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
