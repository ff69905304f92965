import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();
const tasksPath = () => `/projects/${shop.brain.project.slug}/tasks`;
const row = (page: Page, name: string) => page.getByRole("row", { name });
const top = (page: Page) => page.getByRole("grid").evaluate((element) => element.scrollTop);
const scrollTo = (page: Page, to: number) =>
  page.getByRole("grid").evaluate((element, px) => element.scrollTo(0, px), to);

const many = (queue: string, ago: number): ReportedEvent[] =>
  Array.from({ length: 120 }, (_, index) => ({
    kind: "task.sent",
    taskId: `${queue}-${index}`,
    ago: ago + index,
    data: { task_name: `${queue}.n${index}`, queue },
  }));

beforeAll(async () => {
  report(shop.connected, [...many("left", 300), ...many("right", 600)]);
  await waitFor(
    async () => (await shop.brain.as.admin.get(`${tasksPath()}?queue=right&limit=200`)).body.items.length === 120,
  );
});

async function openTasks(search: string): Promise<Page> {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  await page.goto(`/p/${shop.brain.project.slug}/tasks${search}`);
  return page;
}

/** Filters by a queue as a user does, without reloading the page. */
async function filterBy(page: Page, queue: string): Promise<void> {
  await page.getByRole("combobox").fill(`queue:${queue}`);
  await page.keyboard.press("Enter");
  await row(page, `${queue}.n0 pending`).waitFor();
}

describe("Back", () => {
  test("restores the list's scroll position and focused row", async () => {
    const page = await openTasks("?queue=left");
    await row(page, "left.n0 pending").waitFor();
    await scrollTo(page, 2_000);
    // Clicks the name, as the middle of a row may contain a cell's own button.
    await row(page, "left.n60 pending").getByText("left.n60").click();
    await page.getByRole("dialog").getByRole("heading", { name: "left.n60" }).waitFor();
    const before = await top(page);
    await page.keyboard.press("o");
    await page.getByRole("heading", { level: 1, name: "left.n60" }).waitFor();

    await page.goBack();

    await page.getByRole("dialog").getByRole("heading", { name: "left.n60" }).waitFor();
    await expect.poll(() => top(page)).toBe(before);
    await page.keyboard.press("Escape");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toBe("left.n60 pending");
  });

  test("restores each list when switching filters, and a new filter starts at the top", async () => {
    const page = await openTasks("?queue=left");
    await row(page, "left.n0 pending").waitFor();
    await scrollTo(page, 1_500);
    await row(page, "left.n45 pending").waitFor();
    await filterBy(page, "right");
    expect(await top(page)).toBe(0);
    await page.getByRole("button", { name: "Live tail" }).waitFor();
    await scrollTo(page, 700);
    await row(page, "right.n25 pending").waitFor();

    await page.goBack();
    await row(page, "left.n45 pending").waitFor();
    await expect.poll(() => top(page)).toBe(1_500);
    await page.goForward();
    await row(page, "right.n25 pending").waitFor();
    await expect.poll(() => top(page)).toBe(700);

    await page.goBack();
    await row(page, "left.n45 pending").waitFor();
    await page.getByRole("button", { name: "Live tail" }).click();
    await page.getByRole("button", { name: "Live tail: scroll to top" }).waitFor();
    await page.getByRole("radio", { name: /^pending/ }).check({ force: true });
    await row(page, "left.n0 pending").waitFor();
    expect(await top(page)).toBe(0);
    await page.getByRole("button", { name: "Live tail" }).waitFor();
  });
});

describe("a list with an age", () => {
  test("is navigated in the drawer in its own range, regardless of earlier ranges", async () => {
    const page = await openTasks("?queue=left&since=-7m&task=scripted/left-0");
    const drawer = page.getByRole("dialog");
    await drawer.getByText(/^1 of \d+$/).waitFor();
    expect(await drawer.getByText("1 of 120").count()).toBe(0);
    await page.getByRole("radio", { name: "24 h", exact: true }).check();
    await page.waitForURL(/since=-24h/);
    await drawer.getByText("1 of 120").waitFor();
    await page.getByRole("radio", { name: /^pending/ }).check({ force: true });
    await page.waitForURL(/state=pending/);
    await drawer.getByText("1 of 120").waitFor();
  });

  test("is read once for the list, its drawer and its task pages", async () => {
    const page = await openTasks("");
    await row(page, "billing.charge failure").waitFor();
    const reads: string[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname.startsWith("/api/") && url.pathname.endsWith("/tasks") && url.searchParams.has("since"))
        reads.push(url.search);
    });
    await page.goto(`/p/${shop.brain.project.slug}/tasks?queue=left&since=-1h&task=scripted/left-2`);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("3 of 120").waitFor();
    await page.keyboard.press("o");
    await page.getByRole("heading", { level: 1, name: "left.n2" }).waitFor();
    await page.getByText("3 of 120").waitFor();
    await page.goBack();
    await drawer.getByText("3 of 120").waitFor();
    expect(new Set(reads.map((search) => new URLSearchParams(search).get("since"))).size).toBe(1);
  });
});
