import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { longFleetRows, storeLongFleet } from "../traffic/long-fleet.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
  await storeLongFleet(brain);
});
afterAll(() => brain?.stop());

const maximumNodes = 1500;
const nodes = (page: Page) => page.evaluate(() => document.querySelectorAll("body *").length);
const lists = [
  { name: "queues", word: "queue" },
  { name: "workers", word: "worker" },
  { name: "agents", word: "agent" },
];

async function openList(name: string, options: Parameters<typeof openScreen>[1] = {}) {
  const screen = await openScreen(brain, { cookie: brain.as.viewer.cookie, ...options });
  const { page } = screen;
  await page.goto(`/p/${brain.project.slug}/${name}`);
  const table = page.locator("main table");
  await waitFor(async () => (await table.getAttribute("aria-rowcount")) === String(longFleetRows + 1));
  const toEnd = (end: "top" | "bottom") =>
    page
      .locator("main")
      .evaluate((main, where) => main.scrollTo({ top: where === "top" ? 0 : main.scrollHeight }), end);
  return { ...screen, table, toEnd };
}

describe.each(lists)(`$name, ${longFleetRows} of them`, ({ name, word }) => {
  const row = (page: Page, at: number) =>
    page.getByRole("link", { name: `${word}-${String(at).padStart(4, "0")}`, exact: true });

  test.each(["desktop", "phone"] as const)("keep the document small on a %s at every scroll position", async (size) => {
    const { page, faults, toEnd } = await openList(name, { size });
    await row(page, 0).waitFor();
    expect(await page.locator("main thead tr").getAttribute("aria-rowindex")).toBe("1");
    expect(await nodes(page)).toBeLessThanOrEqual(maximumNodes);
    expect(await axeFaults(page)).toEqual([]);

    await waitFor(async () => {
      await toEnd("bottom");
      return row(page, longFleetRows - 1).isVisible();
    });
    expect(await nodes(page)).toBeLessThanOrEqual(maximumNodes);
    expect(await row(page, 0).count()).toBe(0);
    const last = page.locator("main tbody tr[aria-rowindex]").last();
    expect(await last.getAttribute("aria-rowindex")).toBe(String(longFleetRows + 1));

    await toEnd("top");
    await row(page, 0).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(faults).toEqual([]);
  });

  test("keep their column widths while scrolling", async () => {
    const { page, toEnd } = await openList(name);
    const widths = () =>
      page.locator("main thead th").evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
    await row(page, 0).waitFor();
    const before = await widths();
    await waitFor(async () => {
      await toEnd("bottom");
      return row(page, longFleetRows - 1).isVisible();
    });
    expect(await widths()).toEqual(before);
  });

  test("are navigated by Tab row by row, and keep the focused row while scrolling", async () => {
    const { page, toEnd } = await openList(name);
    await row(page, 0).focus();
    const focusedText = () => page.evaluate(() => document.activeElement?.textContent);
    for (let at = 1; at <= 60; at += 1) await page.keyboard.press("Tab");
    expect(await focusedText()).toBe(`${word}-0060`);
    expect(await page.evaluate(() => document.activeElement?.closest("tr")?.getAttribute("aria-rowindex"))).toBe("62");

    await waitFor(async () => {
      await toEnd("bottom");
      return row(page, longFleetRows - 1).isVisible();
    });
    expect(await focusedText()).toBe(`${word}-0060`);
    await page.keyboard.press("Tab");
    expect(await focusedText()).toBe(`${word}-0061`);
    await waitFor(() => row(page, 61).isVisible());
    expect(await nodes(page)).toBeLessThanOrEqual(maximumNodes);
  });

  test("are filtered by typing, and fully rendered once few", async () => {
    const { page, table } = await openList(name);
    await row(page, 0).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("-191");
    await row(page, 1910).waitFor();
    await waitFor(async () => (await table.getAttribute("aria-rowcount")) === "11");
    expect(await page.locator("main tbody tr").count()).toBe(10);
  });
});
