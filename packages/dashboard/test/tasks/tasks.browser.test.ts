import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { report, reportAndWait } from "../traffic/task-traffic.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();

async function openTasks(search = "", options: { isPolling?: boolean } = {}) {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  if (options.isPolling) await screen.page.routeWebSocket(/ws\/dashboard/, (socket) => socket.close());
  await screen.page.goto(`/p/${shop.brain.project.slug}/tasks${search}`);
  await screen.page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
  return screen;
}
const row = (page: Page, name: string) => page.getByRole("row", { name });

describe("the task list", () => {
  test("shows each task with its state, newest first", async () => {
    const { page } = await openTasks();
    await row(page, "search.reindex pending").waitFor();
    const names = await page
      .locator("[role=row][id]")
      .evaluateAll((rows) => rows.map((one) => one.getAttribute("aria-label")));
    expect(names.indexOf("search.reindex pending")).toBeLessThan(names.indexOf("billing.charge failure"));
  });

  test("updates a row in place as soon as its task changes", async () => {
    const { page, faults } = await openTasks("?search=live");
    report(shop.connected, [{ kind: "task.sent", taskId: "live-1", data: { task_name: "live.one", queue: "live" } }]);
    await row(page, "live.one pending").waitFor();

    report(shop.connected, [{ kind: "task.started", taskId: "live-1", data: { worker: "w" } }]);
    await row(page, "live.one started").waitFor();
    report(shop.connected, [{ kind: "task.succeeded", taskId: "live-1", data: { runtime_ms: 5 } }]);

    await row(page, "live.one success").waitFor();
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test("holds new tasks back until requested, so that nothing moves under the pointer", async () => {
    const { page } = await openTasks();
    await row(page, "billing.charge failure").waitFor();
    const before = await page.locator("[role=row][id]").first().getAttribute("id");

    report(shop.connected, [
      { kind: "task.sent", taskId: "fresh-1", data: { task_name: "fresh.one", queue: "emails" } },
    ]);
    const button = page.getByRole("button", { name: /^\d+ new$/ });
    await button.waitFor();
    expect(await page.locator("[role=row][id]").first().getAttribute("id")).toBe(before);

    await page.keyboard.press("n");
    await row(page, "fresh.one pending").waitFor();
    expect(await button.count()).toBe(0);
  });

  test("is correct with polling alone, and the chip shows polling", async () => {
    const { page } = await openTasks("?search=polled", { isPolling: true });
    await page.getByRole("button", { name: /^Connection: polling/ }).waitFor();
    report(shop.connected, [
      { kind: "task.sent", taskId: "polled-1", data: { task_name: "polled.one", queue: "emails" } },
    ]);
    await row(page, "polled.one pending").waitFor();
  });
});

describe("filters", () => {
  test("are in the URL", async () => {
    const { page } = await openTasks("?state=failure");
    await row(page, "billing.charge failure").waitFor();
    expect(await row(page, "search.reindex pending").count()).toBe(0);
    expect(await page.getByRole("radio", { name: /^failure/ }).isChecked()).toBe(true);

    await page.getByRole("radio", { name: /^all \d/ }).check({ force: true });

    await row(page, "search.reindex pending").waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("are typed with completion, and removed from their token", async () => {
    const { page } = await openTasks();
    await row(page, "billing.charge failure").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("queue:bill");
    await page.getByRole("option", { name: /^billing/ }).waitFor();
    await page.keyboard.press("Enter");

    await page.waitForURL(/[?]queue=billing$/);
    await row(page, "search.reindex pending").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove filter queue" }).click();

    await row(page, "search.reindex pending").waitFor();
  });

  test("that are invalid are left out, and named", async () => {
    const { page } = await openTasks("?state=broken&colour=red");
    await page.getByText("Ignored unknown or invalid URL parameters: state, colour.").waitFor();
    await row(page, "billing.charge failure").waitFor();
    await row(page, "search.reindex pending").waitFor();
  });
});

describe("the keyboard alone", () => {
  test("navigates the list, opens a task, reads its failure and returns", async () => {
    const { page, faults } = await openTasks("?state=failure");
    await row(page, "billing.charge failure").waitFor();

    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog");
    await drawer.getByText("PaymentError", { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("task")).toBe("scripted/bad-1");

    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await page.keyboard.press("o");
    await page.getByRole("heading", { level: 1, name: "billing.charge" }).waitFor();
    await page.getByText("/app/src/gateway.ts").first().waitFor();
    await page.keyboard.press("u");

    await page.getByRole("grid").waitFor();
    expect(faults).toEqual([]);
  });

  test("copies the id of the current task", async () => {
    const { page } = await openTasks("?state=failure");
    await row(page, "billing.charge failure").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("y");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("bad-1");
  });
});

describe("a task", () => {
  test("shows redacted values as redacted, and its result", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.viewer.cookie });
    await page.goto(`/p/${shop.brain.project.slug}/tasks/scripted/ok-1`);
    await page.getByText("1 value redacted by the agent").waitFor();
    await page.getByText("sent", { exact: true }).waitFor();
  });

  test("grows while it runs, without a reload", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.viewer.cookie });
    report(shop.connected, [{ kind: "task.started", taskId: "grow-1", data: { task_name: "grow.one", worker: "w" } }]);
    await expect
      .poll(
        async () =>
          (await shop.brain.as.viewer.get(`/projects/${shop.brain.project.slug}/tasks/scripted/grow-1`)).status,
      )
      .toBe(200);
    await page.goto(`/p/${shop.brain.project.slug}/tasks/scripted/grow-1`);
    await page.getByText("Started on w").waitFor();

    report(shop.connected, [{ kind: "task.succeeded", taskId: "grow-1", data: { runtime_ms: 1200 } }]);

    await page.getByText("Succeeded after 1.2 s.").waitFor();
  });
});

describe("deleting", () => {
  test("permanently removes selected rows", async () => {
    await reportAndWait(shop.brain, shop.connected, [
      { kind: "task.sent", taskId: "drop-1", data: { task_name: "drop.one", queue: "drop" } },
    ]);
    const { page } = await openTasks("?queue=drop");
    await row(page, "drop.one pending").getByRole("checkbox").check({ force: true });
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete 1 task" }).click();

    await page.getByText("No tasks match").waitFor();
    const answer = await shop.brain.as.viewer.get(`/projects/${shop.brain.project.slug}/tasks?queue=drop`);
    expect(answer.body.items).toEqual([]);
  });
});

describe("a long list", () => {
  test("keeps few rows in the document and loads older pages while scrolling", async () => {
    const many = 700;
    const names = Array.from({ length: many }, (_, index) => `bulk-${index}`);
    report(
      shop.connected,
      names.map((taskId, index) => ({
        kind: "task.sent",
        taskId,
        ago: 3600 + index,
        data: { task_name: "bulk.one", queue: "bulk" },
      })),
    );
    const tasksPath = `/projects/${shop.brain.project.slug}/tasks?queue=bulk&limit=1&include_total=true`;
    await expect.poll(async () => (await shop.brain.as.admin.get(tasksPath)).body.total_count).toBe(many);
    const { page, faults } = await openTasks("?queue=bulk");
    await page.getByText(`${many} tasks match`).waitFor();

    const grid = page.getByRole("grid");
    await page.locator(`[role=grid][aria-rowcount="${many + 1}"]`).waitFor();
    await expect
      .poll(async () => {
        await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return page.locator(`[role=row][aria-rowindex="${many + 1}"]`).isVisible();
      })
      .toBe(true);

    await page.getByText("End of list").waitFor();
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(1_500);
    expect(faults).toEqual([]);
  });
});
