import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { axeFaults, type OpenOptions, openScreen, type Screen } from "../window/screen.ts";

const shop = openShop();

const tasksPath = () => `/projects/${shop.brain.project.slug}/tasks`;
const row = (page: Page, name: string) => page.getByRole("row", { name });

async function openTasks(path = "", settings: OpenOptions["settings"] = {}): Promise<Screen> {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie, settings });
  await screen.page.goto(`/p/${shop.brain.project.slug}/tasks${path}`);
  return screen;
}

/** Reports events and waits until the brain lists the last of their tasks. */
async function reportAndWait(events: readonly ReportedEvent[]): Promise<void> {
  report(shop.connected, events);
  const last = encodeURIComponent(events.at(-1)?.taskId ?? "");
  await waitFor(async () => (await shop.brain.as.admin.get(`${tasksPath()}/scripted/${last}`)).status === 200);
}

const focusedRow = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest("[role=row]")?.getAttribute("aria-label") ?? null);

describe("the drawer", () => {
  test("opened by URL moves on from its own task", async () => {
    const { page } = await openTasks("?task=scripted/bad-1");
    await page.getByRole("dialog").getByText("PaymentError", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Next task in the list" }).click();
    await page.waitForURL(/task=scripted(%2F|\/)ok-1/);

    await page.keyboard.press("k");
    await page.waitForURL(/task=scripted(%2F|\/)bad-1/);
    await page.keyboard.press("y");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("bad-1");
  });

  test("has the id of a task that its list does not show", async () => {
    const { page } = await openTasks("?queue=nowhere&task=scripted/bad-1");
    await page.getByRole("dialog").getByText("PaymentError", { exact: true }).waitFor();
    await page.keyboard.press("y");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("bad-1");
    await page.keyboard.press("o");
    await page.getByRole("heading", { level: 1, name: "billing.charge" }).waitFor();
  });

  test("returns focus to the row when it closes", async () => {
    const { page } = await openTasks("?state=failure");
    await row(page, "billing.charge failure").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("heading", { name: "billing.charge" }).waitFor();
    await drawer.getByRole("button", { name: "Close" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => focusedRow(page)).toBe("billing.charge failure");
  });

  test("that fails to load does not affect the list, and is retried", async () => {
    // In a separate window: one that has shown the drawer may still have its file in memory.
    const { page } = await openTasks("?state=failure", { locale: "en-GB" });
    await row(page, "billing.charge failure").waitFor();
    await page.route(/TaskDrawer/, (route) => route.abort());
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Couldn't show the task").waitFor();
    await drawer.getByText("If a newer version was installed").waitFor();
    expect(await row(page, "billing.charge failure").isVisible()).toBe(true);
    expect(await axeFaults(page)).toEqual([]);

    await page.unroute(/TaskDrawer/);
    await drawer.getByRole("button", { name: "Try again" }).click();
    await drawer.getByText("PaymentError", { exact: true }).waitFor();
  });
});

describe("moving between tasks in the drawer", () => {
  const begun = (taskId: string, ago: number): ReportedEvent[] => [
    { kind: "task.sent", taskId, ago, data: { task_name: `walk.${taskId}`, queue: "walk" } },
    { kind: "task.started", taskId, ago: ago - 1, data: { worker: "w" } },
  ];

  async function openFirst(): Promise<Page> {
    const { page } = await openTasks("?queue=walk");
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    await row(page, "walk.w-1 started").getByRole("link", { name: "walk.w-1" }).click();
    await page.getByRole("dialog").getByRole("heading", { name: "walk.w-1" }).waitFor();
    return page;
  }

  beforeAll(() => reportAndWait([...begun("w-3", 30), ...begun("w-2", 20), ...begun("w-1", 10)]));

  test("reads each task only once", async () => {
    const page = await openFirst();
    await page.clock.install();
    const reads: string[] = [];
    page.on("request", (request) => {
      if (/scripted\/w-2(\/|$)|task_id=w-2/.test(request.url())) reads.push(request.url());
    });
    await page.keyboard.press("j");
    await page.getByRole("dialog").getByRole("heading", { name: "walk.w-2" }).waitFor();
    await expect.poll(() => reads.length).toBe(4);
    await page.clock.fastForward(1_500);
    await page.keyboard.press("j");
    await page.getByRole("dialog").getByRole("heading", { name: "walk.w-3" }).waitFor();
    expect(reads.length).toBe(4);
  });

  test("shows changes of a task that was just opened", async () => {
    const page = await openFirst();
    const drawer = page.getByRole("dialog");
    await page.keyboard.press("j");
    await drawer.getByRole("heading", { name: "walk.w-2" }).waitFor();
    await page.keyboard.press("j");
    await drawer.getByRole("heading", { name: "walk.w-3" }).waitFor();
    const events = page.waitForRequest(/events\?.*task_id=w-3/);
    report(shop.connected, [{ kind: "task.succeeded", taskId: "w-3", data: { runtime_ms: 5 } }]);
    await events;
  });
});

describe("a task that is deleted while it is open", () => {
  test.each(["in the drawer", "on its page"])("is no longer shown %s", async (where) => {
    const id = where.replaceAll(" ", "-");
    await reportAndWait([{ kind: "task.sent", taskId: id, data: { task_name: "del.one", queue: "del" } }]);
    // The stream is up before the task is opened, so that only the removal itself can make the task be read again.
    const { page } = await openTasks("?queue=del");
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    await row(page, "del.one pending").getByRole("link", { name: "del.one" }).click();
    await page.getByRole("dialog").getByRole("heading", { name: "del.one" }).waitFor();
    if (where === "on its page") {
      await page.getByRole("link", { name: "Open the full page" }).click();
      await page.getByRole("heading", { level: 1, name: "del.one" }).waitFor();
    }

    const { body } = await shop.brain.as.admin.get(`${tasksPath()}/scripted/${id}`);
    await shop.brain.as.admin.post(`${tasksPath()}/bulk-delete`, { task_ids: [body.id] });

    await page.getByText("Task not in this project").waitFor();
    expect(await page.getByRole("heading", { name: "del.one" }).count()).toBe(0);
  });
});

describe("selecting rows", () => {
  test("moves none of them in a scrolling list, and deleting asks first and restores focus", async () => {
    const { page } = await openTasks();
    const wholeSize = page.viewportSize();
    await page.setViewportSize({ width: 1440, height: 420 });
    const first = row(page, "search.reindex pending");
    await first.waitFor();
    const before = await first.boundingBox();
    await first.getByRole("checkbox").check({ force: true });
    const remove = page.getByRole("region", { name: "Selected tasks" }).getByRole("button", { name: "Delete" });
    await remove.waitFor();
    expect(await first.boundingBox()).toEqual(before);

    await remove.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete 1 task" });
    await dialog.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel", exact: true }).focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await remove.evaluate((button) => document.activeElement === button)).toBe(true);

    await page.getByRole("button", { name: "Clear selection" }).focus();
    await page.keyboard.press("Enter");
    await remove.waitFor({ state: "detached" });
    await expect.poll(() => focusedRow(page)).not.toBeNull();
    if (wholeSize) await page.setViewportSize(wholeSize);
  });
});

test("new rows shown by key scroll the list to the top", async () => {
  const flood = Array.from({ length: 60 }, (_, index) => ({
    kind: "task.sent",
    taskId: `tall-${index}`,
    ago: 60,
    data: { task_name: "tall.one", queue: "tall" },
  }));
  await reportAndWait(flood);
  const { page } = await openTasks("?queue=tall");
  await page.getByText("60 tasks match").waitFor();
  await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
  const grid = page.getByRole("grid");
  await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  report(shop.connected, [{ kind: "task.sent", taskId: "tall-new", data: { task_name: "tall.new", queue: "tall" } }]);
  await page.getByRole("button", { name: "1 new" }).waitFor();

  await page.keyboard.press("n");

  await row(page, "tall.new pending").waitFor();
  expect(await grid.evaluate((element) => element.scrollTop)).toBe(0);
});

describe("odd names and ids", () => {
  const odd: Record<string, string> = {
    "<img src=x onerror=alert(1)>": "a/b?c#d$e",
    "safe\u202Egpj.exe": 'per%2Fcent\\and "quotes"',
    "注文 🙂": "🙂".repeat(12),
    " ": "blank",
  };

  test("are shown as text everywhere, and their tasks open", async () => {
    await reportAndWait(
      Object.entries(odd).map(([name, taskId]) => ({
        kind: "task.sent",
        taskId,
        data: { task_name: name, queue: "odd\u202E" },
      })),
    );
    const { page, faults } = await openTasks("?search=odd");
    for (const [name, taskId] of Object.entries(odd)) {
      const shown = name === " " ? "(no name)" : name.replace("\u202E", "\\u202e");
      await row(page, `${shown} pending`).getByRole("link", { name: shown }).click();
      const drawer = page.getByRole("dialog");
      await drawer.getByRole("heading", { name: shown, exact: true }).waitFor();
      await drawer.getByRole("link", { name: "Open the full page" }).click();
      await page.getByRole("heading", { level: 1, name: shown, exact: true }).waitFor();
      expect(decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "")).toBe(taskId);
      expect(await page.title()).not.toContain("\u202E");
      await page.goBack();
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
    }
    const titles = await page.locator("[title]").evaluateAll((all) => all.map((one) => one.getAttribute("title")));
    expect(titles.filter((title) => title?.includes("\u202E"))).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("are escaped for queues and workers, and link to their own tasks", async () => {
    const name = "turned\u202E";
    report(shop.connected, [
      { kind: "task.sent", taskId: "turned-1", ago: 9, data: { task_name: "turned.one", queue: name } },
      { kind: "task.started", taskId: "turned-1", ago: 8, data: { worker: name } },
      { kind: "task.failed", taskId: "turned-1", ago: 7, data: { worker: name, exception: "TurnError: upside down" } },
    ]);
    const isFailed = async () =>
      (await shop.brain.as.admin.get(`${tasksPath()}/scripted/turned-1`)).body.state === "failure";
    await waitFor(isFailed);
    const { page } = await openTasks("/scripted/turned-1");
    const link = page.locator("main header").getByRole("link", { name: "turned\\u202e" }).last();
    await link.waitFor();
    const { searchParams } = new URL((await link.getAttribute("href")) ?? "", page.url());
    expect(Object.fromEntries(searchParams)).toEqual({ worker: name, q: "engine:scripted" });
    await shop.brain.runLoop("stats.fold-counters");
    // Queues and workers appear some time after their tasks, and a list loads the figures of a new one with its next refresh.
    for (const list of ["queues", "workers"]) {
      const path = `/projects/${shop.brain.project.slug}/${list}`;
      await waitFor(async () =>
        (await shop.brain.as.admin.get(path)).body.items.some((one: { name: string }) => one.name === name),
      );
    }
    for (const [list, where] of Object.entries({ queues: "in", workers: "on" })) {
      await page.goto(`/p/${shop.brain.project.slug}/${list}`);
      await page.getByRole("link", { name: `1 failed ${where} turned\\u202e`, exact: true }).waitFor();
      expect(await page.locator('[aria-label*="\u202E"]').count()).toBe(0);
    }
  });

  test("of dots explain that no URL can contain them", async () => {
    report(shop.connected, [{ kind: "task.sent", taskId: "..", data: { task_name: "dots.one", queue: "dots" } }]);
    // A list that is already open would only announce it.
    await waitFor(async () => (await shop.brain.as.admin.get(`${tasksPath()}?queue=dots`)).body.items.length === 1);
    const { page } = await openTasks("?queue=dots");
    await row(page, "dots.one pending").getByRole("link", { name: "dots.one" }).click();
    await page.getByRole("dialog").getByText('".." cannot be part of an address').waitFor();
    expect(await row(page, "dots.one pending").isVisible()).toBe(true);
  });
});

test("every part of the drawer and the list's menus are accessible", async () => {
  const { page } = await openTasks("?task=scripted/bad-1");
  const parts = page.getByRole("dialog").getByRole("navigation", { name: "Task parts" }).getByRole("button");
  await page.getByRole("dialog").getByText("PaymentError", { exact: true }).waitFor();
  for (const part of await parts.all()) {
    await part.click();
    await expect.poll(() => part.getAttribute("aria-current")).toBe("true");
    expect(await axeFaults(page)).toEqual([]);
  }
  await page.keyboard.press("Escape");
  await page
    .getByRole("button", { name: /filter/i })
    .first()
    .click();
  expect(await axeFaults(page)).toEqual([]);
});
