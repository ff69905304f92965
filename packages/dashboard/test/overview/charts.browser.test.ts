import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectFleet, noteLoss } from "../traffic/fleet.ts";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
  const fleet = await connectFleet(brain);
  await noteLoss(brain, fleet.agentId, { fromAgo: 1800, toAgo: 1200 });
});
afterAll(() => brain?.stop());

async function open(path: string, size: "desktop" | "phone" = "desktop") {
  const screen = await openScreen(brain, { cookie: brain.as.root.cookie, size });
  await screen.page.goto(`/p/${brain.project.slug}${path}`);
  return screen;
}

async function openOverview(size: "desktop" | "phone" = "desktop") {
  const screen = await open("?since=-1h", size);
  await screen.page.getByRole("slider", { name: /^Tasks by outcome/ }).waitFor();
  await screen.page.getByRole("slider", { name: /^Run time/ }).waitFor();
  return screen;
}

const chart = (page: Page, name: string) => page.getByRole("figure", { name });
/** Shapes by the class that draws them; the names of classes end in a hash. */
const shapes = (page: Page, name: string, kind: string) => chart(page, name).locator(`svg [class*="_${kind}_"]`);

describe("the chart of outcomes", () => {
  test("has at most five lines across, fills the bars of whole buckets and none of the one that still runs", async () => {
    const { page, faults } = await openOverview();
    const lines = await shapes(page, "Tasks by outcome", "grid").count();
    expect(lines).toBeGreaterThan(1);
    expect(lines).toBeLessThanOrEqual(5);

    // Read in one go, as the chart moves on with each minute.
    const bars = await chart(page, "Tasks by outcome").evaluate((figure) => {
      const slider = figure.querySelector('[role="slider"]') as Element;
      const { right, width } = slider.getBoundingClientRect();
      const lastFrom = right - width / Number(slider.getAttribute("aria-valuemax")) - 0.5;
      return [...figure.querySelectorAll("svg g > rect")].map((bar) => ({
        isHollow: getComputedStyle(bar).fill === "none",
        isLast: bar.getBoundingClientRect().x >= lastFrom,
      }));
    });
    expect(bars.length).toBeGreaterThan(0);
    for (const { isHollow, isLast } of bars) expect(isHollow).toBe(isLast);
    expect(faults).toEqual([]);
  });

  test("lists the values of a bucket in stacking order, failures last", async () => {
    const { page } = await openOverview();
    await page.getByRole("slider", { name: /^Tasks by outcome/ }).focus();
    await page.keyboard.press("End");
    const read = await chart(page, "Tasks by outcome").locator("dt").allTextContents();
    const listed = read.filter((one) => ["success", "retry", "failure"].includes(one));
    expect(listed).toEqual(["retry", "success", "failure"]);

    const tops = await chart(page, "Tasks by outcome")
      .locator("svg g")
      .evaluateAll((buckets) =>
        buckets.map((bucket) =>
          [...bucket.querySelectorAll("rect")].map((bar) => ({
            layer: ["success", "retry", "failure"].find((one) =>
              (bar.getAttribute("class") ?? "").includes(`_${one}_`),
            ),
            y: bar.getBoundingClientRect().y,
          })),
        ),
      );
    for (const bars of tops) {
      const fromAbove = bars.toSorted((one, other) => one.y - other.y).map(({ layer }) => layer);
      expect(fromAbove).toEqual(listed.filter((layer) => fromAbove.includes(layer as "success")));
    }
  });

  test("is read by a first touch, and opened by a second one on the same place", async () => {
    const { page, faults } = await openOverview("phone");
    const reader = page.getByRole("slider", { name: /^Tasks by outcome/ });
    await reader.scrollIntoViewIfNeeded();
    const { width = 0 } = (await reader.boundingBox()) ?? {};
    const position = { x: width * 0.98, y: 20 };
    await reader.tap({ position });
    await expect.poll(() => reader.getAttribute("aria-valuetext")).toMatch(/success \d/);
    expect(new URL(page.url()).pathname).toBe(`/p/${brain.project.slug}`);
    await reader.tap({ position });
    await page.waitForURL("**/tasks?since=*");
    expect(faults).toEqual([]);
  });
});

test("a time in which events were lost is a hatched band, named in the table", async () => {
  const { page } = await openOverview();
  const band = shapes(page, "Tasks by outcome", "lost");
  await expect.poll(() => band.count()).toBe(1);
  expect(await band.evaluate((shape) => getComputedStyle(shape).fill)).toContain("#lost");
  await page.getByRole("button", { name: "Show table: Tasks by outcome" }).click();
  await page
    .getByRole("cell", { name: /lost|missing/ })
    .first()
    .waitFor();
});

test("a dashed line leads to a hollow point for the bucket that still runs, and the solid one ends before it", async () => {
  const { page, faults } = await open("/queues/bullmq/billing?since=-1h");
  await page.getByRole("slider", { name: /^Waiting tasks/ }).waitFor();
  // The newest bucket has a value as soon as the agent has reported one in it.
  const tip = shapes(page, "Waiting tasks", "tipOpen");
  await tip.waitFor();
  const { x: tipX = 0, width = 0 } = (await tip.boundingBox()) ?? {};
  const center = tipX + width / 2;
  const dashed = await shapes(page, "Waiting tasks", "toOpen").evaluate((line) => line.getBoundingClientRect());
  expect(dashed.left).toBeLessThan(center);
  expect(dashed.right).toBeGreaterThanOrEqual(center - 1);
  const ends = await shapes(page, "Waiting tasks", "line").evaluateAll((all) =>
    all.map((line) => line.getBoundingClientRect().right),
  );
  for (const end of ends) expect(end).toBeLessThan(center);
  expect(faults).toEqual([]);
});
