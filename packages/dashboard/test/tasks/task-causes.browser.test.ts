import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { axeFaults, openScreen, type Screen } from "../window/screen.ts";

const shop = openShop();
const engine = "held";
let agent: RawAgent;

const event = (kind: string, taskId: string, data: object = {}) => ({
  id: randomUUID(),
  kind,
  engine,
  task_id: taskId,
  occurred_at: new Date(Date.now() - 60_000).toISOString(),
  data: { task_name: `why.${taskId}`, queue: "mails", ...data },
});

function beat(holds: object): void {
  const reports = { queue_depths: { mails: 1842 }, queue_consumers: { mails: 3 }, queue_holds: holds };
  const health = Object.entries(reports).map(([key, value]) => [`${engine}.${key}`, JSON.stringify(value)]);
  agent.sendFrame("heartbeat", { buffer_size: 0, dropped_events: 0, adapter_health: Object.fromEntries(health) });
}

const pathOf = (taskId: string) => `/projects/${shop.brain.project.slug}/tasks/${engine}/${taskId}`;
const firstCause = async (taskId: string) =>
  (await shop.brain.as.viewer.get(`${pathOf(taskId)}/explain`)).body.causes?.[0].code;
const toBe = (taskId: string, code: string) => waitFor(async () => (await firstCause(taskId)) === code);

beforeAll(async () => {
  const minted = await shop.brain.mintAgent("mail-host");
  agent = await connectRaw({ url: shop.brain.url, ...minted }, { hello: rawHello({ engines: [engine] }) });
  await agent.ackOf(
    agent.sendEvents([
      event("task.sent", "waits"),
      event("task.started", "runs", { worker: "w1" }),
      event("task.succeeded", "done"),
    ]),
  );
  beat({ mails: { paused: true } });
  await toBe("waits", "queue_paused");
});

async function open(path: string, options: { size?: "phone"; theme?: "dark" } = {}): Promise<Screen> {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.viewer.cookie, ...options });
  await screen.page.goto(`/p/${shop.brain.project.slug}/tasks${path}`);
  return screen;
}

const question = (page: Page) => page.getByText(/^Why is it not (running|finished)\?$/);
const paused = (page: Page) => page.getByText("Queue mails is paused. No tasks start until it is resumed.");

describe("why a task is not running", () => {
  test("is explained for a waiting task with evidence, and refreshed when it changes", async () => {
    const { page, faults } = await openScreen(shop.brain, { cookie: shop.brain.as.viewer.cookie });
    await page.clock.install();
    await page.goto(`/p/${shop.brain.project.slug}/tasks/${engine}/waits`);
    await paused(page).waitFor();
    await page.getByText("Waiting tasks").waitFor();
    const list = page.getByRole("list").filter({ has: paused(page) });
    expect(await list.getByRole("link", { name: "mails" }).getAttribute("href")).toBe(
      `/p/${shop.brain.project.slug}/queues/${engine}/mails`,
    );
    expect(await axeFaults(page)).toEqual([]);
    beat({});
    await toBe("waits", "unknown");
    await page.clock.fastForward(11_000);
    await page.getByText(/^The task is waiting for its turn in queue mails/).waitFor();
    beat({ mails: { paused: true } });
    await toBe("waits", "queue_paused");
    expect(faults).toEqual([]);
  });

  test("is loaded for a running task when opened, also by keyboard", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.viewer.cookie });
    const asked: string[] = [];
    page.on("request", (request) => {
      if (/\/explain$/.test(request.url())) asked.push(request.url());
    });
    await page.goto(`/p/${shop.brain.project.slug}/tasks?task=${engine}/runs`);
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("heading", { name: "why.runs" }).waitFor();
    await drawer.getByText("Why is it not finished?").focus();
    expect(asked).toEqual([]);
    await page.keyboard.press("Enter");
    await drawer.getByText(/^The task is running[.] Nothing indicates/).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await drawer.getByText(/^The task is running[.] Nothing indicates/).waitFor({ state: "detached" });
  });

  test("is not loaded for a finished task", async () => {
    const { page } = await open(`/${engine}/done`);
    await page.getByRole("heading", { level: 1, name: "why.done" }).waitFor();
    expect(await question(page).count()).toBe(0);
  });

  test("shows a failed load without affecting the rest, and retries", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.viewer.cookie });
    await page.route(/\/explain$/, (route) => route.fulfill({ status: 500, json: { error: "internal_error" } }));
    await page.goto(`/p/${shop.brain.project.slug}/tasks/${engine}/waits`);
    await page.getByText("Couldn't load the causes").waitFor();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.unroute(/\/explain$/);
    await page.getByRole("button", { name: "Try again" }).click();
    await paused(page).waitFor();
  });

  test("fits a phone", async () => {
    const { page } = await open(`/${engine}/waits`, { size: "phone", theme: "dark" });
    await paused(page).waitFor();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
  });
});
