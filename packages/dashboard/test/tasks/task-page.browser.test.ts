import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { familyEvents } from "../traffic/family-traffic.ts";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, type Screen } from "../window/screen.ts";

const shop = openShop();

const sent = (taskId: string, data: Record<string, unknown>, ago = 5): ReportedEvent => ({
  kind: "task.sent",
  taskId,
  ago,
  data,
});
const deep = { a: { b: { c: { needle: "Found ME", order: "@exact" } } }, list: [1, 2, 3] };

beforeAll(async () => {
  const lines = Array.from({ length: 4_000 }, (_, index) => `line ${index}`);
  report(shop.connected, [
    ...familyEvents(),
    sent("walk-1", { task_name: "walk.first", queue: "walk" }, 30),
    sent("walk-2", { task_name: "walk.second", queue: "walk" }, 20),
    sent("walk-3", { task_name: "walk.third", queue: "walk" }, 10),
    sent("orphan", { task_name: "family.orphan", parent_task_id: "long-lost" }),
    sent("deep", { task_name: "json.deep", kwargs: { ...deep, password: "hidden" } }),
    sent("long", { task_name: "json.long", args: [lines] }),
    sent("huge", { task_name: "json.huge", args: [lines.map((line) => line.repeat(12))] }),
    ...Array.from(
      { length: 520 },
      (_, index): ReportedEvent => ({
        kind: "task.started",
        taskId: "busy",
        ago: 1_000 - index,
        data: { task_name: "events.many", worker: `w-${index}` },
      }),
    ),
    { kind: "task.succeeded", taskId: "busy", ago: 1 },
  ]);
  await waitFor(async () => (await taskOf("busy")).body.state === "success");
});

const taskOf = (taskId: string) =>
  shop.brain.as.admin.get(`/projects/${shop.brain.project.slug}/tasks/scripted/${taskId}`);

async function open(path: string, options: { size?: "phone"; theme?: "dark" } = {}): Promise<Screen> {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie, ...options });
  await screen.page.goto(`/p/${shop.brain.project.slug}${path}`);
  return screen;
}

const openTask = (taskId: string, search = "") => open(`/tasks/scripted/${taskId}${search}`);
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

describe("the parts of the page", () => {
  test("are in the URL, and a failed task opens on its failure", async () => {
    const { page } = await openTask("fam-bad");
    const parts = page.getByRole("navigation", { name: "Task parts" });
    await parts.locator("[aria-current]", { hasText: "Failure" }).waitFor();

    await parts.getByRole("button", { name: /^Family/ }).click();
    await page.waitForURL(/tab=family/);
    await page.locator("#family:focus").waitFor();

    await page.reload();
    await parts.locator("[aria-current]", { hasText: "Family" }).waitFor();
    await page.locator("#family:focus").waitFor();
  });

  test("show the differences between attempts, and collapse each one's traceback", async () => {
    const { page } = await openTask("fam-bad");
    const change = page.getByRole("region", { name: "Attempt 1 compared with attempt 4" });
    await change.getByText("gateway.py:71").waitFor();
    expect(await change.textContent()).toContain("gateway.py:87");
    await page.getByRole("button", { name: "Traceback of attempt 1" }).click();
    await page
      .locator("#attempts")
      .getByRole("region", { name: "Traceback of attempt 1" })
      .getByText("app/billing/gateway.py")
      .first()
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test("copy the task as an API call without secrets", async () => {
    const { page } = await openTask("fam-bad");
    await page.getByRole("button", { name: "More actions" }).click();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Copy as API call" }).click();
    await expect
      .poll(() => copied(page))
      .toBe(`curl -sb jar '${shop.brain.url}/api/v1/projects/${shop.brain.project.slug}/tasks/scripted/fam-bad'`);
  });
});

describe("moving through the list", () => {
  test("continues from the page in the order of its list", async () => {
    const { page } = await open("/tasks?queue=walk&task=scripted/walk-2");
    const drawer = page.getByRole("dialog");
    await drawer.getByText("2 of 3").waitFor();
    await drawer.getByRole("link", { name: "Open the full page" }).click();
    await heading(page, "walk.second");
    await page.getByText("2 of 3").waitFor();

    await page.keyboard.press("j");
    await heading(page, "walk.first");
    const next = page.getByRole("button", { name: "Next task in the list" });
    await expect.poll(() => next.getAttribute("aria-disabled")).toBe("true");
    await expect.poll(() => next.getAttribute("title")).toBe("This is the last task in the list");

    await page.keyboard.press("u");
    await page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
    expect(new URL(page.url()).search).toBe("?queue=walk");
  });

  test("works from a URL alone", async () => {
    const { page } = await openTask("walk-2", "?queue=walk");
    await heading(page, "walk.second");
    await page.getByRole("button", { name: "Previous task in the list" }).click();
    await heading(page, "walk.third");
    await page.keyboard.press("j");
    await heading(page, "walk.second");
  });
});

describe("the family", () => {
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");

  test("supports treegrid keys", async () => {
    const { page } = await openTask("fam-bad");
    const tree = page.getByRole("treegrid", { name: "Family of this task with waterfall" });
    await tree.getByRole("row", { name: /this task/ }).focus();
    const rows = () => tree.locator("tbody").getByRole("row").count();
    expect(await rows()).toBe(8);

    await page.keyboard.press("ArrowLeft");
    await tree.locator("[aria-expanded=false]").waitFor();
    expect(await rows()).toBe(7);
    await expect.poll(() => tree.getByRole("row", { name: /this task/ }).getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("ArrowRight");
    await expect.poll(rows).toBe(8);
    await page.keyboard.press("ArrowRight");
    expect(await focused(page)).toMatch(/^emails.payment_failed/);
    await page.keyboard.press("Home");
    expect(await focused(page)).toMatch(/^billing.run_daily_invoices/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await heading(page, "billing.collect_due");
  });

  test("of one task is left out, and its parent is named if it isn't stored", async () => {
    const { page } = await open("/tasks?queue=none&task=scripted/orphan&tab=family");
    await page.getByText("Started by long-lost, which isn't stored here.").waitFor();
    expect(await page.getByRole("navigation", { name: "Task parts" }).getByText("Family").count()).toBe(0);
  });

  test("opens in the drawer from the drawer", async () => {
    const { page } = await open("/tasks?task=scripted/fam-bad&tab=family");
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("link", { name: "emails.payment_failed" }).click();
    await drawer.getByRole("heading", { name: "emails.payment_failed" }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
  });
});

describe("input and result", () => {
  test("are searched, navigated and copied by keyboard", async () => {
    const { page } = await openTask("deep");
    const input = page.locator("#input");
    await input.getByRole("tree").waitFor();
    expect(await input.getByText("Found ME").count()).toBe(0);

    await input.getByRole("button", { name: "Search in input" }).click();
    await page.keyboard.type("found me");
    await input.getByText("1 found").waitFor();
    await page.keyboard.press("Enter");
    await input.getByText("1 of 1").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Tab");
    await input.getByRole("tree").focus();
    await page.keyboard.press("c");
    await expect.poll(() => copied(page)).toBe("Found ME");
    await page.keyboard.press("Shift+C");
    await expect.poll(() => copied(page)).toBe("kwargs.a.b.c.needle");

    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => input.getByRole("treeitem").count()).toBe(1);
    await page.keyboard.press("ArrowRight");
    await input.getByRole("treeitem").filter({ hasText: "redacted" }).waitFor();
  });

  test("are expanded to a selected depth", async () => {
    const { page } = await openTask("deep");
    const input = page.locator("#input");
    await input.getByLabel("Expanded levels of input").selectOption({ label: "all levels" });
    await input.getByText("Found ME").waitFor();
    await input.getByLabel("Expanded levels of input").selectOption({ label: "collapsed" });
    await expect.poll(() => input.getByRole("treeitem").count()).toBe(1);
  });

  test("of thousands of lines keep only visible ones in the document", async () => {
    const { page } = await openTask("long");
    const tree = page.locator("#input").getByRole("tree");
    await tree.getByText('"line 0"').waitFor();
    expect(await tree.getByRole("treeitem").count()).toBeLessThan(100);
    await tree.focus();
    await page.keyboard.press("End");
    await tree.getByText('"line 3999"').waitFor();
    expect(await tree.getByRole("treeitem").count()).toBeLessThan(100);
  });

  test("over 256 KB show their size, and are loaded on request", async () => {
    const { page } = await openTask("huge");
    const input = page.locator("#input");
    await input.getByText(/^Large value .*KB.*, not shown automatically/).waitFor();
    expect(await input.getByRole("tree").count()).toBe(0);
    await input.getByRole("button", { name: "Show as text" }).click();
    await input.getByRole("region", { name: "Input, raw" }).waitFor();
    await input.getByRole("button", { name: "Raw" }).click();
    await input.getByRole("tree").waitFor();
  });
});

describe("events", () => {
  test("are loaded beyond the newest page", async () => {
    const { page } = await openTask("busy");
    const events = page.locator("#events");
    await events.getByText("newest 8 of 500+").waitFor();
    await events.getByRole("button", { name: "Show more events" }).click();
    await events.getByText("newest 100 of 500+").waitFor();
    const more = events.getByRole("button", { name: "Load older events" });
    for (const shown of [200, 300, 400, 500]) {
      await more.click();
      await events.getByText(`newest ${shown} of`).waitFor();
    }
    await more.click();
    await events.getByText("newest 521 of 521").waitFor();
    await more.waitFor({ state: "detached" });
  });

  test("of one kind are requested if not all events are loaded", async () => {
    const { page } = await openTask("busy");
    const events = page.locator("#events");
    await events.getByLabel("Event kind").selectOption("task.succeeded");
    await events.getByText("newest 1 of 1,").waitFor();
    await events.getByRole("button", { name: "task.succeeded" }).click();
    await events.getByRole("region", { name: "Payload of task.succeeded" }).waitFor();
    await events.getByLabel("Event kind").selectOption("task.failed");
    await events.getByText("No task.failed events are stored.").waitFor();
  });
});

test("a task of another project is found on request", async () => {
  await shop.brain.as.root.post("/projects", { slug: "other", name: "Other" });
  const minted = await shop.brain.as.root.post("/projects/other/agents", { name: "other-1" });
  const { agent, token, hmac_secret: hmacSecret } = minted.body;
  const connected = await shop.brain.connectAgent({ agentId: agent.id, token, hmacSecret });
  report(connected, [sent("moved", { task_name: "moved.away" })]);
  await waitFor(async () => (await shop.brain.as.root.get("/projects/other/tasks/scripted/moved")).status === 200);

  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
  await page.goto(`/p/${shop.brain.project.slug}/tasks/scripted/moved`);
  await page.getByRole("button", { name: /^Search .*other project/ }).click();
  await page.getByRole("link", { name: "other", exact: true }).click();
  await heading(page, "moved.away");

  await page.goto("/p/other/tasks/scripted/nowhere");
  await page.getByRole("button", { name: /^Search .*other project/ }).click();
  await page.getByText("Not found in any other project.").waitFor();
  await page.getByRole("link", { name: "Search the list for this id" }).click();
  await page.waitForURL(/search=nowhere/);
});

test("a task is searched in twenty projects at a time, and the page shows in how many", async () => {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
  await page.route(
    (url) => url.pathname === "/api/v1/projects",
    async (route) => {
      const answer = await route.fetch();
      const projects = await answer.json();
      const more = Array.from({ length: 25 }, (_, at) => ({ ...projects[0], id: `p-${at}`, slug: `more-${at}` }));
      await route.fulfill({
        json: [...projects.filter((one: { slug: string }) => one.slug === shop.brain.project.slug), ...more],
      });
    },
  );
  await page.goto(`/p/${shop.brain.project.slug}/tasks/scripted/nowhere`);
  await page.getByRole("button", { name: "Search 20 of 25 other projects" }).click();
  await page.getByText("Not found in the first 20 of 25 other projects.").waitFor();
  await page.getByRole("button", { name: "Search 5 more" }).click();
  await page.getByText("Not found in any other project.").waitFor();
});
