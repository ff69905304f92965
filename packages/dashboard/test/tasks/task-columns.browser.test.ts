import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { reportAndWait } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const shop = openShop();

async function openTasks(search = "", options: { size?: "desktop" | "phone" } = {}) {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie, ...options });
  await screen.page.goto(`/p/${shop.brain.project.slug}/tasks${search}`);
  await row(screen.page, "billing.charge failure").waitFor();
  return screen;
}
const row = (page: Page, name: string) => page.getByRole("row", { name });
const heads = (page: Page) =>
  page
    .getByRole("columnheader")
    .evaluateAll((cells) => cells.map((cell) => cell.textContent ?? "").filter((text) => text !== ""));
const widthOf = async (page: Page, name: string) =>
  (await page.getByRole("columnheader", { name, exact: true }).boundingBox())?.width ?? 0;

describe("the columns", () => {
  test("are selected, reordered and resized by keyboard alone, and saved for the next visit", async () => {
    const { page, faults } = await openTasks();
    const before = await widthOf(page, "Queue");
    await page.getByRole("button", { name: "Columns" }).press("Enter");
    const menu = page.getByRole("group", { name: "Columns" });
    await menu.getByRole("checkbox", { name: "Engine" }).press("Space");
    await menu.getByRole("checkbox", { name: "Error" }).press("Space");
    await menu.getByRole("button", { name: "Queue: move up" }).press("Enter");
    await menu.getByRole("button", { name: "Queue: wider" }).press("Enter");
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");

    const chosen = ["State", "Queue", "Task", "Worker"];
    expect((await heads(page)).slice(0, 4)).toEqual(chosen);
    expect(await widthOf(page, "Queue")).toBeGreaterThan(before);
    await row(page, "billing.charge failure").getByText("PaymentError: upstream 503").waitFor();

    await page.reload();
    await row(page, "billing.charge failure").waitFor();
    expect((await heads(page)).slice(0, 4)).toEqual(chosen);

    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("button", { name: "Reset columns" }).click();
    expect((await heads(page)).slice(0, 3)).toEqual(["State", "Task", "Engine"]);
    expect(faults).toEqual([]);
  });

  test("are moved and resized by dragging", async () => {
    const { page } = await openTasks();
    const head = (name: string) => page.getByRole("columnheader", { name, exact: true });
    await head("Queue").dragTo(head("State"));
    await expect.poll(async () => (await heads(page))[0]).toBe("Queue");

    const box = await head("Worker").boundingBox();
    if (!box) throw new Error("no column");
    const edge = { x: box.x + box.width + 6, y: box.y + 10 };
    await page.mouse.move(edge.x, edge.y);
    await page.mouse.down();
    await page.mouse.move(edge.x + 60, edge.y, { steps: 4 });
    await page.mouse.up();
    expect(await widthOf(page, "Worker")).toBeCloseTo(box.width + 60, -1);
  });

  test("wider than the page scroll horizontally, and the checkboxes stay in view", async () => {
    const { page } = await openTasks();
    await page.getByRole("button", { name: "Columns" }).click();
    for (const name of ["Error", "Tags", "Task id", "Started", "Finished"]) {
      await page.getByRole("group", { name: "Columns" }).getByRole("checkbox", { name, exact: true }).click();
    }
    await page.keyboard.press("Escape");
    const grid = page.getByRole("grid");
    const box = row(page, "billing.charge failure").getByRole("checkbox");
    const at = await box.boundingBox();

    await grid.evaluate((element) => element.scrollTo(element.scrollWidth, 0));

    expect(await grid.evaluate((element) => element.scrollLeft)).toBeGreaterThan(100);
    expect((await box.boundingBox())?.x).toBe(at?.x);
  });
});

describe("the height of the rows", () => {
  test("fits nineteen on a screen, and follows the density setting", async () => {
    await reportAndWait(
      shop.brain,
      shop.connected,
      Array.from({ length: 30 }, (_, index) => ({
        kind: "task.sent",
        taskId: `tall-${index}`,
        ago: 600 + index,
        data: { task_name: "tall.one", queue: "tall" },
      })),
    );
    const { page } = await openTasks();
    await row(page, "tall.one pending").first().waitFor();
    const inFull = () =>
      page.locator("[role=row][id]").evaluateAll((rows) => {
        const foot = document.querySelector("[role=grid]")?.getBoundingClientRect().bottom ?? 0;
        return rows.filter((one) => one.getBoundingClientRect().bottom <= foot + 1).length;
      });
    await expect.poll(inFull).toBe(19);

    await page.getByRole("button", { name: "Density: default" }).click();
    await page.getByRole("button", { name: "Compact" }).click();

    await expect.poll(inFull).toBeGreaterThan(20);
  });
});

test("on a phone a long press selects, and further taps select more", async () => {
  const { page, faults } = await openTasks("", { size: "phone" });
  const first = row(page, "billing.charge failure");
  const box = await first.boundingBox();
  if (!box) throw new Error("no row");
  const touch = await page.context().newCDPSession(page);
  const at = { x: box.x + 120, y: box.y + 20 };
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
  await page.getByText("1 selected").waitFor();
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });

  await row(page, "emails.send_receipt success").tap();

  await page.getByText("2 selected").waitFor();
  expect(new URL(page.url()).searchParams.get("task")).toBeNull();
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(faults).toEqual([]);
});
