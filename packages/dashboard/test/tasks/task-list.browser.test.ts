import { waitFor } from "@svc/testkit";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { moveClockUntil } from "../window/page-clock.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();

const tasksPath = () => `/projects/${shop.brain.project.slug}/tasks`;
const row = (page: Page, name: string) => page.getByRole("row", { name });
const pollUntilShown = (page: Page, what: Locator) => moveClockUntil(page, 5_000, () => what.isVisible());
const connection = (page: Page, mode: string) =>
  page.getByRole("button", { name: new RegExp(`^Connection: ${mode}`) }).waitFor();

/** With polling alone, reads happen when the test advances the page's clock. */
async function openTasks(search = "", options: { isPolling?: boolean } = {}): Promise<Page> {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  if (options.isPolling) {
    await page.routeWebSocket(/ws\/dashboard/, (socket) => socket.close());
    await page.clock.install();
  }
  await page.goto(`/p/${shop.brain.project.slug}/tasks${search}`);
  await page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
  return page;
}

/** Reports events and waits until the brain shows the last task in its final state. */
async function reportAndWait(events: readonly ReportedEvent[], state: string): Promise<void> {
  report(shop.connected, events);
  const last = events.at(-1)?.taskId;
  await waitFor(async () => (await shop.brain.as.admin.get(`${tasksPath()}/scripted/${last}`)).body.state === state);
}
const started = (taskId: string, name: string): ReportedEvent => ({
  kind: "task.started",
  taskId,
  data: { task_name: name, worker: "w", queue: "w" },
});
const succeeded = (taskId: string): ReportedEvent => ({ kind: "task.succeeded", taskId, data: { runtime_ms: 5 } });

async function remove(taskId: string): Promise<void> {
  const { body } = await shop.brain.as.admin.get(`${tasksPath()}/scripted/${taskId}`);
  const answer = await shop.brain.as.admin.post(`${tasksPath()}/bulk-delete`, { task_ids: [body.id] });
  expect(answer.body.deleted_count).toBe(1);
}

describe("with polling alone", () => {
  test("a task that no longer matches is updated, and a deleted one is removed", async () => {
    await reportAndWait([started("poll-1", "poll.one"), started("poll-2", "poll.two")], "started");
    const page = await openTasks("?state=started&search=poll.", { isPolling: true });
    await row(page, "poll.one started").waitFor();

    await reportAndWait([succeeded("poll-1")], "success");
    await remove("poll-2");

    await pollUntilShown(page, row(page, "poll.one success"));
    await row(page, "poll.two started").waitFor({ state: "detached" });
    await connection(page, "polling");
  });

  test("rows below more than a page of new tasks are still refreshed", async () => {
    await reportAndWait([started("deep-1", "deep.one"), started("deep-2", "deep.two")], "started");
    const page = await openTasks("?worker=w", { isPolling: true });
    await row(page, "deep.one started").waitFor();

    const flood = Array.from({ length: 260 }, (_, index) => started(`flood-${index}`, "flood.one"));
    await reportAndWait(flood, "started");
    await reportAndWait([succeeded("deep-1")], "success");
    await remove("deep-2");

    await pollUntilShown(page, page.getByRole("button", { name: "200+ new" }));
    await row(page, "deep.one success").waitFor();
    await row(page, "deep.two started").waitFor({ state: "detached" });
  });

  test("a failed refresh is reported, keeps the rows, and is cleared by the next success", async () => {
    const page = await openTasks("?queue=billing", { isPolling: true });
    await row(page, "billing.charge failure").waitFor();
    await page.route(/\/tasks\?/, (route) =>
      route.fulfill({ status: 500, json: { error: "internal_error", message: "boom", details: {}, request_id: "r" } }),
    );
    const alert = page.getByRole("alert").filter({ hasText: "Couldn't refresh the list. boom" });
    await pollUntilShown(page, alert);
    expect(await row(page, "billing.charge failure").isVisible()).toBe(true);

    await page.unroute(/\/tasks\?/);
    await alert.getByRole("button", { name: "Try again" }).click();
    await alert.waitFor({ state: "detached" });
  });

  test("a response for one filter does not show under the next", async () => {
    const page = await openTasks("?queue=late", { isPolling: true });
    await page.getByText("No tasks match").waitFor();
    await reportAndWait(
      [{ kind: "task.sent", taskId: "late-1", data: { task_name: "late.one", queue: "late" } }],
      "pending",
    );
    let answer = () => {};
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isAsked = false;
    await page.route(/queue=late/, async (route) => {
      isAsked ||= /\/tasks\?/.test(route.request().url());
      await isHeld;
      await route.continue();
    });
    await moveClockUntil(page, 5_000, () => isAsked);
    await page.getByRole("radio", { name: /^failure/ }).check({ force: true });
    await page.getByRole("button", { name: "Remove filter queue" }).click();
    await row(page, "billing.charge failure").waitFor();

    const answered = page.waitForResponse(/queue=late/);
    answer();
    await answered;
    const readAgain = page.waitForResponse((response) => /\/tasks\?state=failure/.test(response.url()));
    await page.clock.runFor(5_000);
    await readAgain;
    expect(await page.getByRole("button", { name: /new$/ }).count()).toBe(0);
  });
});

test("one polite live region announces how many tasks arrived and failed, never single ones", async () => {
  await reportAndWait([started("spoken-1", "spoken.one")], "started");
  const page = await openTasks("?search=spoken");
  await row(page, "spoken.one started").waitFor();
  await connection(page, "live");
  const region = page.getByRole("status", { name: "List updates" });
  expect(await region.count()).toBe(1);
  expect(await region.textContent()).toBe("");
  expect(await page.locator("main [role=grid]").evaluate((grid) => grid.closest("[aria-live], [role=status]"))).toBe(
    null,
  );

  const failed: ReportedEvent = { kind: "task.failed", taskId: "spoken-1", data: { exception: "Error: boom" } };
  await reportAndWait([failed], "failure");

  await region.getByText("1 failed", { exact: true }).waitFor();
});

test("a revisited list is refreshed", async () => {
  await reportAndWait([started("away-1", "away.one")], "started");
  const page = await openTasks("?state=started&search=away");
  await row(page, "away.one started").waitFor();
  await connection(page, "live");
  await page.getByRole("link", { name: "Queues" }).click();
  await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
  await reportAndWait([succeeded("away-1")], "success");

  await page.goBack();

  await row(page, "away.one success").waitFor();
});

describe("responses shorter than a page", () => {
  const oldest = Date.parse("2026-01-01T00:00:00Z");

  /** Serves the list as pages of these lengths; the last one has no cursor. */
  async function answerWith(page: Page, lengths: readonly number[]): Promise<() => number> {
    const { body } = await shop.brain.as.admin.get(`${tasksPath()}?limit=1`);
    const [real] = body.items;
    let reads = 0;
    await page.route(/\/api\/.*\/tasks\?.*short/, (route) => {
      const url = new URL(route.request().url());
      if (url.searchParams.get("include_total")) return route.fulfill({ json: { items: [], total_count: 5000 } });
      const at = Number(url.searchParams.get("cursor") ?? 0);
      reads = Math.max(reads, at + 1);
      const before = lengths.slice(0, at).reduce((sum, one) => sum + one, 0);
      const items = Array.from({ length: lengths[at] ?? 0 }, (_, index) => ({
        ...real,
        id: `00000000-0000-4000-8000-${String(before + index).padStart(12, "0")}`,
        task_id: `short-${before + index}`,
        name: `short.${before + index}`,
        received_at: new Date(oldest - (before + index) * 1000).toISOString(),
      }));
      const cursor = at + 1 < lengths.length ? String(at + 1) : null;
      const partial = cursor === null ? {} : { partial: { reached: "2026-01-01T00:00:00.000Z", cursor } };
      return route.fulfill({ json: { items, next_cursor: cursor, total_count: null, ...partial } });
    });
    await page.goto(`/p/${shop.brain.project.slug}/tasks?search=short`);
    return () => reads;
  }

  async function openRouted(lengths: readonly number[]): Promise<{ page: Page; reads: () => number }> {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
    return { page, reads: await answerWith(page, lengths) };
  }

  test("are followed by the next ones until the screen is full or the list ends", async () => {
    const { page, reads } = await openRouted([1, 0, 2, 3, 0, 0, 1]);
    await row(page, "short.6").waitFor();
    await page.getByText("End of list").waitFor();
    expect(reads()).toBe(7);
  });

  test("are counted by rows, so that two hundred short pages are not the end", async () => {
    const { page } = await openRouted(Array.from({ length: 60 }, () => 4));
    await row(page, "short.0").waitFor();
    const grid = page.getByRole("grid");
    await expect
      .poll(async () => {
        await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return row(page, "short.239").isVisible();
      })
      .toBe(true);
  });

  test("with ten thousand rows keep few in the document, select one quickly, and ask to narrow the filters", async () => {
    const { page } = await openRouted(Array.from({ length: 51 }, () => 200));
    await row(page, "short.0").first().waitFor();
    const grid = page.getByRole("grid");
    await expect
      .poll(async () => {
        await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return (
          (await page.getByText("10,000 tasks are loaded").isVisible()) && (await row(page, "short.9999").isVisible())
        );
      })
      .toBe(true);
    const box = row(page, "short.9999").getByRole("checkbox");
    await box.check({ force: true });
    await page.getByText("1 selected").waitFor();
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThanOrEqual(1_500);
    await grid.evaluate((element) => element.scrollTo(0, 0));
    await row(page, "short.0").first().waitFor();

    await page.keyboard.press("Escape");
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.getByRole("button", { name: "Show older tasks" }).click();
    const end = new Date(oldest - 9_999_000).toISOString();
    await page.waitForURL((url) => url.searchParams.get("until") === end);
    expect(new URL(page.url()).searchParams.get("search")).toBe("short");
  });

  test("without rows ask after a while whether to continue, and show how far back they searched", async () => {
    const { page, reads } = await openRouted([...Array.from({ length: 12 }, () => 0), 1]);
    await page.getByText("No matches so far").waitFor();
    await page.getByText(/^Searched back to 2026-01-01/).waitFor();
    const more = page.getByRole("button", { name: "Continue" });
    await more.waitFor();
    expect(reads()).toBe(10);

    await more.click();

    await row(page, "short.0").waitFor();
  });
});
