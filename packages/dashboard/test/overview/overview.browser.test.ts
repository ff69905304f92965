import { join } from "node:path";
import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { reportDay } from "../traffic/day-of-traffic.ts";
import { report } from "../traffic/task-traffic.ts";
import { holdReads } from "../window/delayed-reads.ts";
import { moveClockUntil } from "../window/page-clock.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const shop = openShop();
beforeAll(() => reportDay(shop.brain, shop.connected));

const address = () => `/p/${shop.brain.project.slug}`;
const open = () => openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
const throughput = (page: Page) => page.getByRole("slider", { name: /^Tasks by outcome/ });

async function openOverview() {
  const screen = await open();
  await screen.page.goto(address());
  await throughput(screen.page).waitFor();
  return screen;
}

describe("the overview", () => {
  test("shows six figures, each with its window and its change", async () => {
    const { page, faults } = await openOverview();
    const figures = page.getByLabel("Figures, last 24 h, compared with the period before");
    await figures.getByText(/failed$/).waitFor();
    await figures.getByText(/points/).waitFor();
    const names = await figures.locator("dt").allTextContents();
    expect(names).toEqual([
      "Finished, last 24 h",
      "Failure rate, last 24 h",
      "p95 run, last 24 h",
      "p95 wait, last 24 h",
      "Waiting, now",
      "Agents online, now",
    ]);
    expect(await figures.getByText("1of 1").count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test("leads to a failing task, its cause and its siblings in three clicks", async () => {
    const { page } = await openOverview();
    const newest = page.getByRole("region", { name: "Newest failures", exact: true });
    await newest
      .getByRole("link", { name: /^media[.]transcode_video/ })
      .first()
      .click();
    await page.getByText("GatewayClient.post").first().waitFor();
    await page.getByRole("link", { name: /^Same fingerprint/ }).click();
    await page
      .getByRole("row", { name: /^media[.]transcode_video failure/ })
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toMatch(/^fingerprint:[0-9a-f]{32}/);
  });

  test("lists failures that look alike, marked as new and with the way to their page", async () => {
    const { page } = await openOverview();
    const row = page.getByRole("row", { name: /^PaymentGatewayError upstream/ });
    await page.getByRole("row", { name: /^PaymentError upstream .* new$/ }).waitFor();
    expect(await row.getByText("new", { exact: true }).count()).toBe(0);
    await row.getByRole("img", { name: /of PaymentGatewayError in this time range$/ }).waitFor();
    await row.getByRole("link", { name: "PaymentGatewayError" }).click();
    await page.getByRole("heading", { level: 1, name: "PaymentGatewayError" }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/issues\/[0-9a-f]{32}$/);
  });

  test("names the slowest tasks and what got slower", async () => {
    const { page } = await openOverview();
    const slow = page.getByRole("region", { name: "Slowest tasks" }).first();
    const first = slow.getByRole("row").nth(1);
    await first.getByRole("link", { name: "media.transcode_video" }).waitFor();
    await slow.getByRole("row", { name: /billing[.]charge_subscription.*[+]\d+ %/ }).waitFor();
  });

  test("needs at most sixteen requests until its first screen stands, its files among them", async () => {
    const { page } = await open();
    await page.addInitScript(() => {
      const places = [1, 2, 3, 4, 5].map((place) => `main section:nth-of-type(${place}):not(:has([role="status"]))`);
      const watcher = new MutationObserver(() => {
        if (places.some((place) => document.querySelector(place) === null)) return;
        performance.mark("first screen");
        watcher.disconnect();
      });
      watcher.observe(document, { childList: true, subtree: true });
    });
    await page.goto(address());
    const panels = ["Tasks by outcome", "Run time", "Top issues", "Slowest tasks", "Queues"];
    await page.getByRole("region", { name: "Newest failures", exact: true }).getByRole("link").nth(1).waitFor();
    await page.waitForLoadState("networkidle");
    expect((await page.locator("main section h2").allTextContents()).slice(0, 5)).toEqual(panels);
    const { early, late } = await page.evaluate(() => {
      const renderedMs = performance.getEntriesByName("first screen")[0]?.startTime ?? 0;
      const sent = performance.getEntriesByType("resource").map(({ name, startTime }) => ({
        path: new URL(name).pathname.replace(/^.*[/]shop[/]/, ""),
        isEarly: startTime <= renderedMs,
      }));
      const pathsOf = (isEarly: boolean) => sent.filter((one) => one.isEarly === isEarly).map(({ path }) => path);
      return { early: [location.pathname, ...pathsOf(true)], late: pathsOf(false) };
    });
    for (const path of ["stats", "trends", "latency", "queues", "issues", "latency/names"])
      expect(early).toContain(path);
    // On a slow machine some of them are repeated before the screen is complete.
    expect(new Set(early).size).toBeLessThanOrEqual(16);
    for (const path of ["agents", "workers", "/api/v1/home/recent-failures", "completeness", "releases"])
      expect(late).toContain(path);
  });
});

describe("a chart", () => {
  test("is read by the arrow keys, and Enter opens the tasks of that time", async () => {
    const { page } = await openOverview();
    await throughput(page).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    const text = (await throughput(page).getAttribute("aria-valuetext")) ?? "";
    expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d to \d\d:\d\d, retry \d+, success \d+, failure \d+/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tasks\?/);
    const { searchParams } = new URL(page.url());
    const [since, until] = ["since", "until"].map((name) => Date.parse(searchParams.get(name) ?? ""));
    expect(Number(until) - Number(since)).toBe(15 * 60_000);
    expect(new Date(Number(since)).toISOString().slice(0, 16).replace("T", " ")).toBe(text.slice(0, 16));
  });

  test("takes a range marked with Shift and the arrows for the whole page", async () => {
    const { page } = await openOverview();
    await throughput(page).focus();
    await page.keyboard.press("End");
    for (const _ of Array(3)) await page.keyboard.press("Shift+ArrowLeft");
    expect(await throughput(page).getAttribute("aria-valuetext")).toContain("1 h");
    await page.keyboard.press("Enter");
    await page.waitForURL(/since=.*until=/);
    expect(new URL(page.url()).pathname).toBe(address());
    await page.getByText(/^per 1 min/).waitFor();
  });

  test("is dragged over to set the range, which Back undoes", async () => {
    const { page } = await openOverview();
    const box = await throughput(page).boundingBox();
    if (!box) throw new Error("the chart has no place on the screen");
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/since=.*until=/);
    const { searchParams } = new URL(page.url());
    const span = Date.parse(searchParams.get("until") ?? "") - Date.parse(searchParams.get("since") ?? "");
    expect(span / 3_600_000).toBeGreaterThan(5.5);
    expect(span / 3_600_000).toBeLessThan(6.75);
    await page.goBack();
    await page.getByText(/^per 15 min, last 24 h/).waitFor();
  });

  test("of run times sets the range too", async () => {
    const { page } = await openOverview();
    const runTime = page.getByRole("slider", { name: /^Run time/ });
    await runTime.waitFor();
    const box = await runTime.boundingBox();
    if (!box) throw new Error("the chart has no place on the screen");
    await page.mouse.move(box.x + box.width * 0.25, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/since=.*until=/);
    expect(new URL(page.url()).pathname).toBe(address());
    await page.getByText(/^per 5 min/).waitFor();
  });

  test("marks the release that began to run, and the agent that connected", async () => {
    const { page } = await openOverview();
    for (const name of ["Tasks by outcome", "Run time"]) {
      const panel = page.getByRole("region", { name, exact: true });
      await panel.getByText("release 2026.11.3").waitFor();
      await panel.getByRole("img", { name: /release 2026[.]11[.]3, .* connected[.]$/ }).waitFor({ state: "attached" });
    }
  });

  test("opens the failed tasks of a time by a click on its failures", async () => {
    const { page } = await openOverview();
    const box = await throughput(page).boundingBox();
    if (!box) throw new Error("the chart has no place on the screen");
    await page.mouse.click(box.x + box.width / 2, box.y + box.height - 10);
    await page.waitForURL(/\/tasks\?/);
    expect(new URL(page.url()).searchParams.get("state")).toBe("failure");
  });

  test("stands as a table instead, without a fault", async () => {
    const { page, faults } = await openOverview();
    await page.getByRole("button", { name: "Show table: Tasks by outcome" }).click();
    const table = page.getByRole("region", { name: "Table: Tasks by outcome" });
    await table.getByRole("columnheader", { name: "success" }).waitFor();
    expect(await table.getByRole("row").count()).toBeGreaterThan(90);
    await page.getByRole("button", { name: "Show table: Run time" }).click();
    await page.getByRole("columnheader", { name: "p99" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe("a panel of the overview", () => {
  test("that cannot be read says so, and takes no other with it", async () => {
    const { page } = await open();
    let isBroken = true;
    let reads = 0;
    const refusal = { error: "unready", message: "the database is away", details: {}, request_id: "req-1" };
    await page.route("**/trends?*", (route) => {
      reads += 1;
      return isBroken ? route.fulfill({ status: 503, json: refusal }) : route.continue();
    });
    await page.goto(address());
    await page.getByText("Couldn't load tasks by outcome").waitFor();
    await page.getByRole("slider", { name: /^Run time/ }).waitFor();
    await page.getByRole("link", { name: "PaymentGatewayError" }).waitFor();
    expect(await page.getByText("not available", { exact: true }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);

    // The panel also refreshes at intervals, which would remove the button.
    const before = reads;
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.click();
    await expect.poll(() => reads).toBeGreaterThan(before);
    isBroken = false;
    await throughput(page)
      .or(retry.and(page.locator(":enabled")))
      .first()
      .waitFor();
    if (await retry.isVisible()) await retry.click({ timeout: 5_000 }).catch(() => {});
    await throughput(page).waitFor();
  });

  test("that is slow shows its place while the others are there", async () => {
    const { page } = await open();
    const release = await holdReads(page, "**/latency?*");
    await page.clock.install();
    await page.goto(address());
    await throughput(page).waitFor();
    await page.getByRole("status", { name: "Loading run time" }).waitFor();
    // Reads after the first screen do not wait for it either, at least not for more than five seconds.
    const newest = page.getByRole("region", { name: "Newest failures", exact: true });
    await moveClockUntil(page, 5_000, () => newest.getByRole("link").nth(1).isVisible());
    await release();
    await page.getByRole("slider", { name: /^Run time/ }).waitFor();
  });

  test("does not wait for the figures of the project", async () => {
    const { page } = await open();
    const release = await holdReads(page, "**/stats?*");
    await page.goto(address());
    await throughput(page).waitFor();
    await page.getByRole("link", { name: "PaymentGatewayError" }).waitFor();
    await release();
    await page.getByText(/points/).waitFor();
  });

  test("of a time without tasks says so in words", async () => {
    const { page } = await open();
    await page.goto(`${address()}?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z`);
    await page.getByText("none succeeded or failed", { exact: true }).waitFor();
    await page.getByText("No durations in this time range.").waitFor();
    await page.getByText("No run times in this time range.").waitFor();
    await page.getByText("No failed tasks in this time range.").nth(1).waitFor();
  });
});

test("an empty project shows the way to its first task, then the board", async () => {
  await shop.brain.as.root.post("/projects", { slug: "fresh", name: "Fresh" });
  const { page, faults } = await open();
  let pushes = 0;
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).includes('"task.changed"')) pushes++;
    }),
  );
  const aborted: string[] = [];
  page.on("requestfailed", (request) => aborted.push(request.url()));
  await page.clock.install();
  await page.goto("/p/fresh");
  await page.getByText("Connect the first agent").waitFor();
  const { body } = await shop.brain.as.root.post("/projects/fresh/agents", { name: "side-car" });
  const connected = await shop.brain.connectAgent({
    token: body.token,
    hmacSecret: body.hmac_secret,
    agentId: body.agent.id,
    bufferPath: join(shop.brain.home, "fresh"),
  });
  await moveClockUntil(page, 3_000, () => page.getByText(/is connected/).isVisible());
  expect(await page.getByRole("radio", { name: "scripted" }).isChecked()).toBe(true);

  // Pushes that arrive while the figures load do not abort that read.
  const release = await holdReads(page, "**/fresh/{stats,tasks}?*");
  const before = pushes;
  for (let more = 1; more <= 3; more++) {
    report(connected, [{ kind: "task.sent", taskId: "first", data: { task_name: "hello", queue: "default" } }]);
    await waitFor(() => pushes >= before + more);
  }
  await release();
  const step = (title: string) =>
    page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title }) });
  await moveClockUntil(page, 3_000, () => step("First event").getByText("From queue default.").isVisible());
  await moveClockUntil(page, 3_000, () => step("First task").getByRole("link", { name: "hello" }).isVisible());
  expect(await page.locator('[data-step="done"]').count()).toBe(5);
  // The read for the previously selected engine may be in progress then, and is aborted.
  expect(aborted.filter((url) => /[/](stats[?]|tasks[?]q=engine%3Ascripted)/.test(url))).toEqual([]);
  expect(await axeFaults(page)).toEqual([]);

  // Another engine has its own steps.
  await page.getByRole("radio", { name: "BullMQ" }).check();
  await page.getByRole("button", { name: "Create agent" }).waitFor();
  expect(await page.locator('[data-step="done"]').count()).toBe(1);
  await page.getByRole("button", { name: "Open the overview" }).click();
  await page.getByRole("heading", { name: "Tasks by outcome" }).waitFor();
  expect(faults).toEqual([]);
});
