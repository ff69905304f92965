import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { axeFaults, chooseInAddress, openScreen } from "../window/screen.ts";

const shop = openShop();
const tasksPath = () => `/projects/${shop.brain.project.slug}/tasks`;
const row = (page: Page, name: string) => page.getByRole("row", { name });
const sent = (taskId: string, name: string, queue: string, ago = 0): ReportedEvent => ({
  kind: "task.sent",
  taskId,
  ago,
  data: { task_name: name, queue },
});

beforeAll(async () => {
  report(
    shop.connected,
    Array.from({ length: 40 }, (_, index) => sent(`key-${index}`, `key.n${index}`, "keys", 300 + index)),
  );
  await waitFor(async () => (await shop.brain.as.admin.get(`${tasksPath()}?queue=keys`)).body.items.length >= 40);
});

async function openTasks(search = "", size: "desktop" | "phone" = "desktop") {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie, size });
  await screen.page.goto(`/p/${shop.brain.project.slug}/tasks${search}`);
  return screen;
}

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest("[role=row]")?.getAttribute("aria-label") ?? null);

describe("the keys of the list", () => {
  test("move focus by one row, by a screen and to the ends", async () => {
    const { page } = await openTasks("?queue=keys");
    await row(page, "key.n0 pending").focus();
    const goes = async (key: string, to: string) => {
      await page.keyboard.press(key);
      await expect.poll(() => focused(page)).toBe(`${to} pending`);
    };
    await goes("ArrowDown", "key.n1");
    await goes("ArrowUp", "key.n0");
    await goes("PageDown", "key.n15");
    await goes("PageUp", "key.n0");
    await goes("End", "key.n39");
    await goes("Home", "key.n0");
  });

  test("x selects, Shift+k extends the selection upwards, u closes the drawer", async () => {
    const { page } = await openTasks("?queue=keys");
    await row(page, "key.n5 pending").focus();
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("Shift+K");
    await page.keyboard.press("Shift+K");
    await page.getByText("3 selected").waitFor();
    await expect.poll(() => focused(page)).toBe("key.n3 pending");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("heading", { name: "key.n3" }).waitFor();
    await page.keyboard.press("u");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("reach the age cell, which then shows the exact times in both zones", async () => {
    const { page } = await openTasks("?state=failure");
    await row(page, "billing.charge failure").focus();
    for (let step = 0; step < 10; step++) await page.keyboard.press("ArrowRight");
    const instants = row(page, "billing.charge failure").getByText(/^(received|started|finished) \d{4}-.* UTC$/);
    await expect.poll(() => instants.count()).toBe(3);
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => instants.count()).toBe(0);
  });
});

describe("views", () => {
  test("that are preset show their tasks", async () => {
    const { page } = await openTasks();
    await row(page, "billing.charge failure").waitFor();
    const view = (name: string) =>
      page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
    const params = () => Object.fromEntries(new URL(page.url()).searchParams);
    const shows = async (name: string, wanted: Record<string, string>) => {
      await view(name).click();
      await expect.poll(params).toEqual(wanted);
      await expect.poll(() => view(name).getAttribute("aria-current")).toBe("true");
    };
    await shows("Running", { state: "started" });
    await row(page, "billing.run_invoices started").waitFor();
    await shows("Retried", { q: "retries:>=1" });
    await row(page, "billing.charge failure").waitFor();
    await row(page, "emails.send_receipt success").waitFor({ state: "detached" });
    await shows("Slow", { q: "runtime:>30s" });
    await page.getByText("No tasks match").waitFor();
    await shows("Waiting over 5 min", { q: "waiting:>5m" });
    await row(page, "key.n0 pending").waitFor();
    await shows("Failed", { state: "failure" });
    await shows("All", {});
  });

  test("that were changed are saved as a new view, and the first one stays", async () => {
    const { page } = await openTasks("?queue=keys");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Keys");
    await page.keyboard.press("Enter");
    const views = page.getByRole("navigation", { name: "Views" });
    await views.locator('[aria-current="true"]').filter({ hasText: "Keys" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await chooseInAddress(page.getByRole("radio", { name: /^pending/ }));
    await page.getByText("Keys · changed").waitFor();
    await page.getByRole("button", { name: "Save as" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Keys, waiting");
    await page.keyboard.press("Enter");

    await views.getByRole("link", { name: "Keys, waiting", exact: true }).waitFor();
    await views.getByRole("link", { name: "Keys", exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get("queue") === "keys" && !url.searchParams.has("state"));
  });
});

describe("on a phone", () => {
  test("rows and their columns are selected in a menu", async () => {
    const { page, faults } = await openTasks("?queue=keys", "phone");
    const first = row(page, "key.n0 pending");
    await first.getByText("keys", { exact: true }).waitFor();
    const height = async () => (await first.boundingBox())?.height;
    expect(await height()).toBe(56);
    await page.getByRole("button", { name: "Density, columns and export" }).tap();
    const menu = page.getByRole("group", { name: "Density, columns and export" });
    await menu.getByRole("button", { name: "Queue" }).tap();
    await first.getByText("keys", { exact: true }).waitFor({ state: "detached" });
    expect(await axeFaults(page)).toEqual([]);
    await menu.getByRole("button", { name: "Compact" }).tap();
    await expect.poll(height).toBe(48);
    await page.getByRole("button", { name: "Density, columns and export" }).tap();
    await menu.getByRole("button", { name: "Export tasks" }).tap();
    await page.getByRole("dialog", { name: "Export tasks" }).waitFor();

    await page.reload();
    await first.waitFor();
    expect(await height()).toBe(48);
    expect(await first.getByText("keys", { exact: true }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("a filter is added by menu, and the filters are saved as a view", async () => {
    const { page, faults } = await openTasks("", "phone");
    await row(page, "key.n0 pending").waitFor();
    await page.getByRole("button", { name: "Add a filter", exact: true }).tap();
    await page.getByRole("group", { name: "Add a filter" }).getByRole("button", { name: "queue", exact: true }).tap();
    const filter = page.getByRole("combobox", { name: /^Add a filter/ });
    expect(await filter.inputValue()).toBe("queue:");
    // Focus moves in the next frame, after the menu has closed.
    await expect.poll(() => filter.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type("billing");
    await page.keyboard.press("Enter");
    await page.waitForURL(/queue=billing/);

    await page.getByRole("button", { name: "Save or change the view" }).tap();
    await page.getByRole("button", { name: "Save view" }).tap();
    await page.getByRole("textbox", { name: "Name" }).fill("On the go");
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "On the go" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

// Last, because of the flood.
describe("following", () => {
  test("inserts new tasks at the top, and pauses automatically above fifty a second", async () => {
    const { page } = await openTasks("?queue=tail");
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    report(shop.connected, [sent("tail-0", "tail.first", "tail")]);
    await row(page, "tail.first pending").waitFor();
    await page.getByRole("button", { name: "Live tail" }).click();
    report(shop.connected, [sent("tail-1", "tail.second", "tail")]);
    await row(page, "tail.second pending").waitFor();
    expect(await page.getByRole("button", { name: /new$/ }).count()).toBe(0);

    let sentCount = 0;
    await expect
      .poll(
        async () => {
          const flood = Array.from({ length: 120 }, () => sent(`flood-${sentCount++}`, "tail.flood", "tail"));
          report(shop.connected, flood);
          return page.getByRole("button", { name: /^Live tail paused: over 50 new tasks per second/ }).isVisible();
        },
        { timeout: 15_000, interval: 300 },
      )
      .toBe(true);
    await page.getByRole("button", { name: /^Live tail paused/ }).click();
    await page.getByRole("button", { name: "Live tail" }).waitFor();
  });
});
