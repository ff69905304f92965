import { waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { report } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const shop = openShop();

async function openPage(path: string, size: "desktop" | "phone" = "desktop") {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie, size });
  await screen.page.goto(path);
  await screen.page.getByRole("heading", { level: 1 }).first().waitFor();
  await screen.page.getByRole("button", { name: /^Connection: live/ }).waitFor();
  return screen;
}
const pagePath = (page: string) => `/p/${shop.brain.project.slug}/${page}`;

describe("the palette", () => {
  test("goes to a page by keys alone, and gives the focus back when it is left", async () => {
    const { page, faults } = await openPage(pagePath("tasks?since=-24h"));
    const opener = page.getByRole("button", { name: /^Find or go to/ });
    await opener.focus();
    await page.keyboard.press("Enter");
    const input = page.getByRole("combobox", { name: "Find or go to" });
    await input.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await input.waitFor({ state: "detached" });
    expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);

    await page.keyboard.press("Control+k");
    await input.waitFor();
    await page.keyboard.type("work");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/workers?since=-24h");
    expect(faults).toEqual([]);
  });

  test("jumps to the task whose id was pasted, and names it first the next time", async () => {
    const { page, faults } = await openPage(pagePath("queues"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find or go to" }).fill("bad-1");
    await page.getByRole("group", { name: "Task with this id" }).getByText("billing.charge").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tasks/scripted/bad-1");
    await page.getByRole("heading", { level: 1, name: /billing[.]charge/ }).waitFor();

    await page.reload();
    await page.getByRole("heading", { level: 1, name: /billing[.]charge/ }).waitFor();
    await page.keyboard.press("Control+k");
    const first = page.getByRole("listbox").getByRole("option").first();
    await first.waitFor();
    expect(await first.textContent()).toContain("billing.charge");
    expect(await first.getAttribute("aria-selected")).toBe("true");
    expect(faults).toEqual([]);
  });

  test("leads straight to the task whose id is pasted, also one without a digit", async () => {
    report(shop.connected, [{ kind: "task.sent", taskId: "nightly-report", data: { task_name: "reports.nightly" } }]);
    const { page, faults } = await openPage(pagePath("queues"));
    const path = `/projects/${shop.brain.project.slug}/tasks/scripted/nightly-report`;
    await waitFor(async () => (await shop.brain.as.root.get(path)).status === 200);
    await page.evaluate(() => navigator.clipboard.writeText(" nightly-report "));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find or go to" }).waitFor();
    await page.keyboard.press("Control+v");
    await page.waitForURL("**/tasks/scripted/nightly-report");
    await page.getByRole("heading", { level: 1, name: /reports[.]nightly/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test("finds a task by engine and id, and text among the tasks", async () => {
    const { page, faults } = await openPage(pagePath("queues"));
    await page.keyboard.press("Control+k");
    const input = page.getByRole("combobox", { name: "Find or go to" });
    await input.fill("scripted/ok-1");
    await page.getByRole("group", { name: "Task with this id" }).getByText("emails.send_receipt").waitFor();

    await input.fill("receipt");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tasks?search=receipt");
    expect(faults).toEqual([]);
  });

  test("changes the look, and lists other projects, which keep the page", async () => {
    await shop.brain.as.root.post("/projects", { slug: "stage", name: "Acme staging", environment: "staging" });
    const { page, faults } = await openPage(pagePath("agents"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find or go to" }).waitFor();
    await page.keyboard.type("dark");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");

    await page.keyboard.press("Control+k");
    await page.keyboard.type("acme staging");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/p/stage/agents");
    expect(faults).toEqual([]);
  });
});

describe("the keys", () => {
  test("lead from page to page by two keys, and not while typing", async () => {
    const { page, faults } = await openPage(pagePath("tasks"));
    await page.keyboard.press("g");
    await page.keyboard.press("q");
    await page.waitForURL("**/queues");
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.waitForURL("**/tasks");
    await page.keyboard.press("/");
    await page.keyboard.type("gq");
    expect(await page.getByRole("combobox").inputValue()).toBe("gq");
    expect(page.url()).toContain("/tasks");
    expect(faults).toEqual([]);
  });

  test("of a page stand first in their list", async () => {
    const { page, faults } = await openPage(pagePath("tasks"));
    await page.keyboard.press("?");
    const titles = page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByRole("heading", { level: 3 });
    await titles.first().waitFor();
    expect(await titles.allTextContents()).toEqual(["Task list", "In a project", "Everywhere"]);
    expect(faults).toEqual([]);
  });

  test("meant for the palette do nothing to the page while it is on its way", async () => {
    const { page, faults } = await openPage(pagePath("queues"));
    let arrive = () => {};
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(/Palette-/, async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("gt[");
    arrive();
    await page.getByRole("combobox", { name: "Find or go to" }).waitFor();
    expect(page.url()).toContain("/queues");
    expect(await page.evaluate(() => document.documentElement.dataset.rail)).toBeUndefined();
    expect(faults).toEqual([]);
  });

  test("are listed by ?, can be switched off there, and then only that of the palette works", async () => {
    const { page, faults } = await openPage(pagePath("queues"));
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await sheet.getByText("time range").waitFor();
    expect(await sheet.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["In a project", "Everywhere"]);
    expect(await axeFaults(page)).toEqual([]);
    await sheet.getByRole("checkbox").uncheck();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });

    await page.keyboard.press("?");
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find or go to" }).waitFor();
    expect(await sheet.count()).toBe(0);
    expect(page.url()).toContain("/queues");

    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset.shortcuts)).toBe("off");
    expect(faults).toEqual([]);
  });
});

describe("on a phone", () => {
  test("what the bottom bar has no room for is behind More, with the other projects and their health", async () => {
    const { page, faults } = await openPage(pagePath("tasks"), "phone");
    await page.getByRole("button", { name: "More" }).tap();
    const sheet = page.getByRole("dialog", { name: "More" });
    await sheet.getByText("degraded").or(sheet.getByText("healthy")).first().waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await sheet.getByRole("link", { name: "Workers" }).tap();
    await page.waitForURL("**/workers");
    await sheet.waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("button", { name: "More" }).getAttribute("aria-current")).toBe("page");
    expect(faults).toEqual([]);
  });
});

describe("the appearance page", () => {
  test("changes the theme immediately and for the next visit", async () => {
    const screen = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    const { page, faults } = screen;
    await page.goto("/me/appearance");
    const choose = (legend: string, word: string) =>
      page.getByRole("group", { name: legend, exact: true }).getByRole("radio", { name: word, exact: true }).check();
    await choose("Theme", "dark");
    await choose("Contrast", "more");
    await choose("Density", "compact");
    await choose("Times", "local");
    await choose("Sidebar", "narrow");
    await choose("Single-key shortcuts", "off");
    expect(await axeFaults(page)).toEqual([]);

    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Appearance" }).waitFor();
    const kept = await page.evaluate(() => ({ ...document.documentElement.dataset }));
    expect(kept).toMatchObject({
      theme: "dark",
      contrast: "more",
      density: "compact",
      rail: "narrow",
      shortcuts: "off",
    });
    expect(await page.getByRole("group", { name: "Times", exact: true }).getByRole("radio").nth(1).isChecked()).toBe(
      true,
    );
    await choose("Theme", "system");
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBeUndefined();
    expect(faults).toEqual([]);
  });
});
