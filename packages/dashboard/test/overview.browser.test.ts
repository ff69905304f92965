import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { tellDay } from "./day-of-traffic.ts";
import { axeFaults, openScreen } from "./screen.ts";
import { openShop } from "./shop.ts";
import { tell } from "./task-traffic.ts";

const shop = openShop();
beforeAll(() => tellDay(shop.brain, shop.connected));

const address = () => `/p/${shop.brain.project.slug}`;
const open = () => openScreen(shop.browser, shop.brain, { cookie: shop.brain.as.root.cookie });
const throughput = (page: Page) => page.getByRole("slider", { name: /^Throughput/ });

async function openOverview() {
  const screen = await open();
  await screen.page.goto(address());
  await throughput(screen.page).waitFor();
  return screen;
}

describe("the overview", () => {
  test("states six figures, each with its window and how it stood before", async () => {
    const { page, faults } = await openOverview();
    const figures = page.getByLabel("Figures of the last 24 h against the same time before");
    await figures.getByText(/failed$/).waitFor();
    await figures.getByText(/points/).waitFor();
    const names = await figures.locator("dt").allTextContents();
    expect(names).toEqual([
      "Throughput, last 24 h",
      "Failure rate, last 24 h",
      "p95 run, last 24 h",
      "p95 wait, last 24 h",
      "Backlog, now",
      "Agents online, now",
    ]);
    expect(await figures.getByText("1of 1").count()).toBe(1);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("leads to a failing task, its cause and its siblings in three clicks", async () => {
    const { page } = await openOverview();
    const newest = page.getByRole("region", { name: "Newest failures", exact: true });
    await newest
      .getByRole("link", { name: /^media[.]transcode_video/ })
      .first()
      .click();
    await page.getByText("GatewayClient.post").first().waitFor();
    await page.getByRole("link", { name: "Failures like this" }).click();
    await page
      .getByRole("row", { name: /^media[.]transcode_video failure/ })
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get("state")).toBe("failure");
    await page.context().close();
  });

  test("lists failures that look alike, marked as new and with the way to their tasks", async () => {
    const { page } = await openOverview();
    const row = page.getByRole("row", { name: /^PaymentGatewayError upstream/ });
    await page.getByRole("row", { name: /^PaymentError upstream .* new$/ }).waitFor();
    expect(await row.getByText("new", { exact: true }).count()).toBe(0);
    await row.getByRole("img", { name: /of PaymentGatewayError in this time$/ }).waitFor();
    await row.getByRole("link", { name: "PaymentGatewayError" }).click();
    await page
      .getByRole("row", { name: /failure$/ })
      .first()
      .waitFor();
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("state")).toBe("failure");
    await page.context().close();
  });

  test("names the slowest tasks and what got slower", async () => {
    const { page } = await openOverview();
    const slow = page.getByRole("region", { name: "Slowest names" }).first();
    const first = slow.getByRole("row").nth(1);
    await first.getByRole("link", { name: "media.transcode_video" }).waitFor();
    await slow.getByRole("row", { name: /billing[.]charge_subscription.*[+]\d+ %/ }).waitFor();
    await page.context().close();
  });

  test("reads first what stands at the top, within fifteen requests", async () => {
    const { page } = await open();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname.replace(/^.*\/shop\//, "")));
    await page.goto(address());
    await page.getByRole("link", { name: "PaymentGatewayError" }).waitFor();
    await page.waitForLoadState("networkidle");
    const positions = ["stats", "trends", "latency", "queues", "agents"].map((path) => requests.indexOf(path));
    expect(Math.min(...positions)).toBeGreaterThan(0);
    expect(Math.max(...positions)).toBeLessThan(15);
    expect(requests.indexOf("tasks")).toBeGreaterThan(Math.max(...positions));
    await page.context().close();
  });
});

describe("a chart", () => {
  test("is read by the arrow keys, and Enter opens the tasks of that time", async () => {
    const { page } = await openOverview();
    await throughput(page).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    const words = (await throughput(page).getAttribute("aria-valuetext")) ?? "";
    expect(words).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d to \d\d:\d\d, retry \d+, success \d+, failure \d+/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tasks\?/);
    const { searchParams } = new URL(page.url());
    const [since, until] = ["since", "until"].map((name) => Date.parse(searchParams.get(name) ?? ""));
    expect(Number(until) - Number(since)).toBe(15 * 60_000);
    expect(new Date(Number(since)).toISOString().slice(0, 16).replace("T", " ")).toBe(words.slice(0, 16));
    await page.context().close();
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
    await page.context().close();
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
    await page.context().close();
  });

  test("opens the failed tasks of a time by a click on its failures", async () => {
    const { page } = await openOverview();
    const box = await throughput(page).boundingBox();
    if (!box) throw new Error("the chart has no place on the screen");
    await page.mouse.click(box.x + box.width / 2, box.y + box.height - 10);
    await page.waitForURL(/\/tasks\?/);
    expect(new URL(page.url()).searchParams.get("state")).toBe("failure");
    await page.context().close();
  });

  test("stands as a table instead, without a fault", async () => {
    const { page, faults } = await openOverview();
    await page.getByRole("button", { name: "As table: Throughput by outcome" }).click();
    const table = page.getByRole("region", { name: "Table: Throughput by outcome" });
    await table.getByRole("columnheader", { name: "success" }).waitFor();
    expect(await table.getByRole("row").count()).toBeGreaterThan(90);
    await page.getByRole("button", { name: "As table: Run time" }).click();
    await page.getByRole("columnheader", { name: "p99" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe("a panel of the overview", () => {
  test("that cannot be read says so, and takes no other with it", async () => {
    const { page } = await open();
    let isBroken = true;
    const refusal = { error: "unready", message: "the database is away", details: {}, request_id: "req-1" };
    await page.route("**/trends?*", (route) =>
      isBroken ? route.fulfill({ status: 503, json: refusal }) : route.continue(),
    );
    await page.goto(address());
    await page.getByText("Throughput by outcome could not be read").waitFor();
    await page.getByRole("slider", { name: /^Run time/ }).waitFor();
    await page.getByRole("link", { name: "PaymentGatewayError" }).waitFor();
    expect(await page.getByText("could not be read", { exact: true }).count()).toBe(2);
    expect(await axeFaults(page)).toEqual([]);

    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await throughput(page).waitFor();
    await page.context().close();
  });

  test("that is slow shows its place while the others are there", async () => {
    const { page } = await open();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/latency?*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(address());
    await throughput(page).waitFor();
    await page.getByRole("status", { name: "Loading run time" }).waitFor();
    release();
    await page.getByRole("slider", { name: /^Run time/ }).waitFor();
    await page.context().close();
  });

  test("of a time without tasks says so in words", async () => {
    const { page } = await open();
    await page.goto(`${address()}?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z`);
    await page.getByText("no tasks", { exact: true }).waitFor();
    await page.getByText("Nothing was measured in this time.").waitFor();
    await page.getByText("No run was measured in this time.").waitFor();
    await page.getByText("No task failed in this time.").waitFor();
    await page.getByText("No task received in this time is failed now.").waitFor();
    await page.context().close();
  });
});

test("an empty project shows the way to its first task, then the board", async () => {
  await shop.brain.as.root.post("/projects", { slug: "fresh", name: "Fresh" });
  const { page, faults } = await open();
  await page.goto("/p/fresh");
  await page.getByText("Connect the first agent").waitFor();
  const { body } = await shop.brain.as.root.post("/projects/fresh/agents", { name: "side-car" });
  const connected = await shop.brain.connectAgent({
    token: body.token,
    hmacSecret: body.hmac_secret,
    agentId: body.agent.id,
    bufferPath: join(shop.brain.home, "fresh"),
  });
  await page.getByText(/is connected/).waitFor();
  tell(connected, [{ kind: "task.sent", taskId: "first", data: { task_name: "hello", queue: "default" } }]);
  await page.getByRole("heading", { name: "Throughput by outcome" }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});
