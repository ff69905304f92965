import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();
const tasksPath = () => `/p/${shop.brain.project.slug}/tasks`;

async function openTasks(search = "", size: "desktop" | "phone" = "desktop") {
  const screen = await openScreen(shop.brain, {
    cookie: shop.brain.as.root.cookie,
    size,
    settings: { timezoneId: "Asia/Kolkata" },
  });
  await screen.page.goto(tasksPath() + search);
  await screen.page.getByRole("button", { name: /^Connection: live/ }).waitFor();
  return screen;
}

async function fromOf(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Time range" }).click();
  const from = await page.getByLabel(/^From, /).inputValue();
  await page.keyboard.press("Escape");
  return from;
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
  });

  test("is two instants of the chosen zone, set by keys, and Back returns the one before", async () => {
    const { page, faults } = await openTasks("?state=failure&since=-1h");
    await page.getByRole("radio", { name: "local" }).check();
    await page.locator("main").focus();
    await page.keyboard.press(".");
    const from = page.getByLabel(/^From, /);
    await from.fill("2026-11-20T10:00:00");
    await page.getByLabel(/^To, /).fill("2026-11-20T09:00:00");
    await page.keyboard.press("Enter");
    await page.getByText("The end must be after the start.").waitFor();
    await page.getByLabel(/^To, /).fill("2026-11-20T11:30:00");
    await page.keyboard.press("Enter");

    await page.waitForURL("**/tasks?state=failure&since=2026-11-20T04:30:00Z&until=2026-11-20T06:00:00Z");
    expect(await from.isVisible()).toBe(false);

    await page.goBack();
    await page.waitForURL("**/tasks?state=failure&since=-1h");
    expect(faults).toEqual([]);
  });

  test("is read and printed in the zone of the project that is open, after a reload and in another project", async () => {
    const { root } = shop.brain.as;
    await root.patch(`/projects/${shop.brain.project.slug}`, { timezone: "America/New_York" });
    await root.post("/projects", { slug: "tokyo", name: "Tokyo", timezone: "Asia/Tokyo" });
    const range = "?since=2026-11-20T04:30:00Z&until=2026-11-20T06:00:00Z";
    const { page, faults } = await openTasks(range);
    await page.getByRole("radio", { name: "project" }).check();
    const opened = async (zone: string) => {
      await page.getByRole("button", { name: "Time range" }).click();
      const from = page.getByLabel(`From, ${zone}`);
      await from.waitFor();
      const value = await from.inputValue();
      await page.keyboard.press("Escape");
      return value;
    };
    expect(await opened("America/New_York")).toBe("2026-11-19T23:30");
    await page.reload();
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    expect(await opened("America/New_York")).toBe("2026-11-19T23:30");

    await page.getByRole("button", { name: "Switch project" }).click();
    await page.getByRole("link", { name: /Tokyo/ }).click();
    await page.waitForURL(`**/p/tokyo/tasks${range}`);
    expect(await opened("Asia/Tokyo")).toBe("2026-11-20T13:30");
    expect(faults).toEqual([]);
  });

  test("is offered for change as it is when the form is opened, hours after the page was", async () => {
    const screen = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    const { page, faults } = screen;
    await page.clock.install();
    await page.goto(`/p/${shop.brain.project.slug}?since=-1h`);
    await page.getByRole("slider", { name: /^Tasks by outcome/ }).waitFor();
    const before = Date.parse(`${await fromOf(page)}Z`);
    await page.clock.fastForward("05:00:00");
    const later = Date.parse(`${await fromOf(page)}Z`);
    expect(Math.round((later - before) / 3_600_000)).toBe(5);
    expect(faults).toEqual([]);
  });

  test("that begins after its end, or after now, is left out everywhere, and the page says so", async () => {
    const { page, faults } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    await page.goto(`/p/${shop.brain.project.slug}?since=2199-01-01T00:00:00Z`);
    await page.getByText("Invalid start of the time range in the URL.").waitFor();
    await page.getByText("Showing last 24 h.").waitFor();
    for (const path of ["/", `/p/${shop.brain.project.slug}/queues?since=-1h`]) {
      await page.goto(`${path}${path.includes("?") ? "&" : "?"}colour=red`);
      await page.getByText("Ignored unknown or invalid URL parameters: colour.", { exact: true }).waitFor();
    }
    await page.goto(`/p/${shop.brain.project.slug}?since=2199-01-01T00:00:00Z`);
    await page.getByText("Showing last 24 h.").waitFor();
    expect(await page.getByRole("radio", { name: "24 h", exact: true }).isChecked()).toBe(true);
    await page.getByRole("heading", { name: /^Slowest/ }).waitFor();
    expect(await page.getByText(/2199/).count()).toBe(0);

    await page.getByRole("radio", { name: "1 h", exact: true }).check();
    await page.getByText("Showing last 24 h.").waitFor({ state: "detached" });
    await page.locator("main").focus();
    await page.keyboard.press(".");
    await page.getByLabel(/^From, /).fill("2199-01-01T00:00:00");
    await page.getByLabel(/^To, /).fill("");
    await page.keyboard.press("Enter");
    await page.getByText("The start must be in the past.").waitFor();
    expect(faults).toEqual([]);
  });

  test("keeps the focus in a field that has it before the menu reports that it is open", async () => {
    const { page, faults } = await openTasks();
    const focused = await page.evaluate(async () => {
      const menu = document.querySelector<HTMLElement>('[popover][aria-label="Time range"]');
      const open = new Promise((resolve) => menu?.addEventListener("toggle", resolve, { once: true }));
      menu?.showPopover();
      menu?.querySelector<HTMLElement>('input[type="datetime-local"]')?.focus();
      await open;
      return (document.activeElement as HTMLInputElement).type;
    });
    expect(focused).toBe("datetime-local");
    expect(faults).toEqual([]);
  });

  test("is chosen from a list on a phone", async () => {
    const { page, faults } = await openTasks("", "phone");
    await page.getByRole("button", { name: "Time range and zone: all · UTC" }).tap();
    await page.getByRole("button", { name: "last 7 days" }).tap();
    await page.waitForURL("**/tasks?since=-7d");
    await page.getByRole("button", { name: "Time range and zone: 7 d · UTC" }).waitFor();
    expect(faults).toEqual([]);
  });
});
