import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { moveClockUntil } from "../window/page-clock.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const shop = openShop();
const strip = (page: Page) => page.getByRole("slider", { name: /^Tasks over time/ });
const range = (page: Page) => {
  const { searchParams } = new URL(page.url());
  return ["since", "until"].map((name) => Date.parse(searchParams.get(name) ?? ""));
};

async function openTasks(search = "", arrange: (page: Page) => Promise<void> = async () => {}) {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  await arrange(screen.page);
  await screen.page.goto(`/p/${shop.brain.project.slug}/tasks${search}`);
  await strip(screen.page).waitFor();
  return screen;
}

describe("the time strip above the list", () => {
  test("selects a range by dragging", async () => {
    const { page, faults } = await openTasks("?since=-1h");
    const box = await strip(page).boundingBox();
    if (!box) throw new Error("the strip is not drawn");
    // Buckets of one minute, from the first one that can have tasks.
    const minutes = Number(await strip(page).getAttribute("aria-valuemax"));
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.25, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 });
    await page.mouse.up();

    await page.waitForURL(/until=/);
    const [since = 0, until = 0] = range(page);
    // A quarter of them, plus one bucket at each end.
    expect(until - since).toBeGreaterThanOrEqual((minutes / 4) * 60_000);
    expect(until - since).toBeLessThanOrEqual((minutes / 4 + 2) * 60_000);
    expect(Date.now() - until).toBeGreaterThan((minutes / 2 - 2) * 60_000);
    expect(faults).toEqual([]);
  });

  test("is read with the arrow keys, and Shift selects a range", async () => {
    const { page } = await openTasks("?since=-1h");
    await strip(page).focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => strip(page).getAttribute("aria-valuetext")).toMatch(/, tasks \d+, failed \d+$/);
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForURL(/until=/);
    const [since = 0, until = 0] = range(page);
    expect(until).toBeGreaterThan(since);
  });

  test("is also a table, with lost events and releases", async () => {
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const lost = { agent_id: "a", agent_name: "media-2", event_records: 31, other_frames: 0, reason: "capacity" };
    const { page, faults } = await openTasks("", async (page) => {
      await page.clock.install();
      await page.route(/\/completeness/, (route) =>
        route.fulfill({
          json: { gaps: [{ ...lost, from: at(95), to: at(90) }], kept_since: at(9_000), is_cut: false },
        }),
      );
      await page.route(/\/releases/, (route) =>
        route.fulfill({ json: { items: [{ release: "2026.11.3", first_seen: at(300), last_seen: at(1), tasks: 3 }] } }),
      );
    });
    // Releases are loaded a few seconds after the rest.
    await moveClockUntil(page, 2_000, () => page.getByText("release 2026.11.3").isVisible());
    expect(await axeFaults(page)).toEqual([]);

    await page.getByRole("button", { name: "Show table: Tasks over time" }).click();
    const table = page.getByRole("region", { name: "Table: Tasks over time" });
    await table
      .getByRole("row", { name: /31 events lost, agent media-2, buffer full/ })
      .first()
      .waitFor();
    await table.getByRole("row", { name: /release 2026\.11\.3/ }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Show chart: Tasks over time" }).click();
    await strip(page).waitFor();
    expect(faults).toEqual([]);
  });

  test("shows how far back it counted, and draws the current bucket hollow", async () => {
    const { page } = await openTasks("", async (page) => {
      await page.route(/\/tasks\/histogram/, async (route) => {
        const answer = await (await route.fetch()).json();
        const reached = answer.buckets[20].t;
        // The current bucket has tasks, even if it has just started.
        Object.assign(answer.buckets.at(-1), { success: 3, failure: 0, other: 0 });
        await route.fulfill({ json: { ...answer, exact: false, reached } });
      });
    });
    await page.getByRole("img", { name: /counted back to \d{4}-/ }).waitFor();
    expect(await page.locator("[class*=hollow]").count()).toBe(1);
  });
});
