import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();

async function openOnPhone(path: string): Promise<Page> {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie, size: "phone" });
  await page.goto(`/p/${shop.brain.project.slug}/${path}`);
  return page;
}

/** Distance in pixels from the top of the page's content to the task's tabs. */
const headHeight = async (page: Page): Promise<number> => {
  const tabs = page.getByRole("navigation", { name: "Task parts" });
  await tabs.waitFor();
  const [main, below] = await Promise.all([page.getByRole("main").boundingBox(), tabs.boundingBox()]);
  return (below?.y ?? Number.POSITIVE_INFINITY) - (main?.y ?? 0);
};

test("leaves most of a phone's first screen to the parts of the task", async () => {
  const page = await openOnPhone("tasks/scripted/bad-1");
  await page.getByText("PaymentError", { exact: true }).first().waitFor();
  expect(await headHeight(page)).toBeLessThanOrEqual(200);
  const facts = page.locator("main header dl");
  // All of them can be reached by swiping.
  await facts.getByText("bad-1").waitFor();
  await facts.getByText("Finished").scrollIntoViewIfNeeded();
  const { x = -1, width = 0 } = (await facts.getByText("Finished").boundingBox()) ?? {};
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(390);
});

test("has one menu for rare actions", async () => {
  const page = await openOnPhone("tasks/scripted/bad-1");
  const head = page.locator("main header");
  await head.getByRole("button", { name: "More actions" }).waitFor();
  expect(await head.locator("button[popovertarget]").count()).toBe(1);
});

test("missing parts of a task are left out or shown as one line", async () => {
  const page = await openOnPhone("tasks/scripted/wait-1");
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  const parts = page.getByRole("navigation", { name: "Task parts" }).getByRole("button");
  await expect
    .poll(async () => (await parts.allTextContents()).map((text) => text.trim()))
    .toEqual(["Timeline", "Input and result", "Events 1"]);
  const input = page.getByRole("region", { name: "Input" });
  expect(await input.textContent()).toBe("InputNo arguments.");
  expect((await input.boundingBox())?.height).toBeLessThanOrEqual(48);
});

test("a phone has the search on a project's pages", async () => {
  const page = await openOnPhone("tasks/scripted/bad-1");
  await page.getByRole("button", { name: "Find or go to" }).click();
  await page.getByRole("dialog").getByRole("combobox").waitFor();
});
