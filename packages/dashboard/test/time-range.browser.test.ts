import { describe, expect, test } from "vitest";
import { openScreen } from "./screen.ts";
import { openShop } from "./shop.ts";

const shop = openShop();
const tasksPath = () => `/p/${shop.brain.project.slug}/tasks`;

async function openTasks(search = "", size: "desktop" | "phone" = "desktop") {
  const screen = await openScreen(shop.browser, shop.brain, { cookie: shop.brain.as.root.cookie, size });
  await screen.page.goto(tasksPath() + search);
  await screen.page.getByRole("button", { name: /^Connection: live/ }).waitFor();
  return screen;
}

describe("the time range of a project", () => {
  test("is everything on the task list until one is chosen, and stays from page to page", async () => {
    const { page, faults } = await openTasks();
    expect(await page.getByRole("radio", { name: "all", exact: true }).isChecked()).toBe(true);

    await page.getByRole("radio", { name: "1 h", exact: true }).check();
    await page.waitForURL("**/tasks?since=-1h");
    await page.getByRole("link", { name: "Queues" }).click();
    await page.waitForURL("**/queues?since=-1h");
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
    expect(await page.getByRole("group", { name: "Time range" }).count()).toBe(0);

    await page.getByRole("link", { name: /^Tasks/ }).click();
    await page.waitForURL("**/tasks?since=-1h");
    await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
    expect(await page.getByRole("radio", { name: "1 h", exact: true }).isChecked()).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("is two instants of the chosen zone, set by keys, and Back returns the one before", async () => {
    const { page, faults } = await openTasks("?state=failure&since=-1h");
    await page.getByRole("radio", { name: "mine" }).check();
    await page.locator("main").focus();
    await page.keyboard.press(".");
    const from = page.getByLabel(/^From, /);
    await from.fill("2026-11-20T10:00:00");
    await page.getByLabel(/^To, /).fill("2026-11-20T09:00:00");
    await page.keyboard.press("Enter");
    await page.getByText("The end must lie after the beginning.").waitFor();
    await page.getByLabel(/^To, /).fill("2026-11-20T11:30:00");
    await page.keyboard.press("Enter");

    const instants = await page.evaluate(() => ["10:00:00", "11:30:00"].map((time) => new Date(`2026-11-20T${time}`)));
    const [since, until] = instants.map((at) => at.toISOString().replace(".000Z", "Z"));
    await page.waitForURL(`**/tasks?state=failure&since=${since}&until=${until}`);
    expect(await from.isVisible()).toBe(false);

    await page.goBack();
    await page.waitForURL("**/tasks?state=failure&since=-1h");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("is chosen from a list on a phone", async () => {
    const { page, faults } = await openTasks("", "phone");
    await page.getByRole("button", { name: "Time range and zone: all · UTC" }).tap();
    await page.getByRole("button", { name: "last 7 days" }).tap();
    await page.waitForURL("**/tasks?since=-7d");
    await page.getByRole("button", { name: "Time range and zone: 7 d · UTC" }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
