import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import type {} from "@svc/testkit/services/setup/redis-setup";
import { type Sidecar, startSidecar } from "@svc/testkit/sidecar-process";
import { Queue, Worker } from "bullmq6";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

const prefix = `t-${randomUUID()}`;
const queueName = `${prefix}:mail`;
const elsewhere = "bullmq limits rates per queue. See the queue's page";
let brain: TestBrain;
let folder: string;
let sidecar: Sidecar;
let queue: Queue;
let worker: Worker;

beforeAll(async () => {
  [brain, folder] = await Promise.all([startBrainWithSite(), mkdtemp(join(tmpdir(), "svc-rate-"))]);
  const redis = inject("redisUrl");
  const { hostname, port } = new URL(redis);
  const settings = { connection: { host: hostname, port: Number(port), maxRetriesPerRequest: null }, prefix };
  queue = new Queue("mail", settings);
  worker = new Worker("mail", async () => {}, { ...settings, name: "mailer-1" });
  await worker.waitUntilReady();
  await queue.add("welcome", {}, { jobId: "first" });
  const minted = await brain.mintAgent("redis-side-car");
  sidecar = startSidecar(["--redis", redis, "--prefix", prefix], { brainUrl: brain.url, minted, folder });
  await waitFor(
    async () => {
      const [queues, workers, tasks] = await Promise.all(
        ["queues", "workers", "tasks?state=success"].map((list) => brain.as.viewer.get(`/projects/shop/${list}`)),
      );
      return [queues, workers, tasks].every((list) => list?.body.items.length === 1);
    },
    { that: "the side-car reports queue, worker and task" },
  );
});
afterAll(async () => {
  await Promise.all([sidecar?.stop(), worker?.close(), queue?.close()]);
  await brain?.stop();
  await rm(folder, { recursive: true, force: true });
});

const openAsOperator = async (path: string) => {
  const screen = await openScreen(brain, { cookie: brain.as.operator.cookie });
  await screen.page.goto(`/p/shop/${path}`);
  return screen;
};
const queuePath = `queues/bullmq/${encodeURIComponent(queueName)}`;
const tray = (page: Page) => page.getByRole("region", { name: /^Commands/ });
/** The page-specific commands in the palette. */
async function offered(page: Page): Promise<string[]> {
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Dark theme" }).waitFor({ state: "attached" });
  return page
    .getByRole("group", { name: "On this page" })
    .getByRole("option")
    .locator("span:first-of-type")
    .allTextContents();
}

test("the rate of a BullMQ queue is limited on its page, and the limit is removed by 0", async () => {
  const { page, faults } = await openAsOperator(queuePath);
  await page.getByRole("button", { name: "Limit rate" }).click();
  const dialog = page.getByRole("dialog", { name: `Limit rate of ${queueName}` });
  await dialog.getByText("Limits how often tasks of this queue start").waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Limit rate" }).click();
  await dialog.getByText("Enter a rate such as 10/m, or 0 to remove the limit").waitFor();
  await dialog.getByLabel("Rate").fill("30/m");
  await dialog.getByRole("button", { name: "Limit rate" }).click();
  await dialog.waitFor({ state: "detached" });
  await tray(page).getByText(`Limit ${queueName} to 30/m`).waitFor();
  await tray(page).getByText("completed").waitFor();
  expect(await queue.getGlobalRateLimit()).toEqual({ max: 30, duration: 60_000 });

  expect(await offered(page)).toEqual(["Limit rate of this queue"]);
  await page.keyboard.type("limit rate");
  await page.keyboard.press("Enter");
  await dialog.getByLabel("Rate").fill("0");
  await dialog.getByRole("button", { name: "Remove limit" }).click();
  await dialog.waitFor({ state: "detached" });
  await tray(page).getByText(`Remove the limit of ${queueName}`).waitFor();
  await waitFor(async () => (await queue.getGlobalRateLimit()) === null);
  await waitFor(async () => (await tray(page).getByText("completed").count()) === 2);
  expect(faults).toEqual([]);
});

test("the page of a worker has no limit, and that of a task says where to find it", async () => {
  const { items } = (await brain.as.viewer.get("/projects/shop/workers")).body;
  const { page, faults } = await openAsOperator(`workers/${items[0].id}`);
  const control = page.getByRole("region", { name: "Control" });
  await control.getByText("BullMQ workers can't be controlled from here.").waitFor();
  expect(await control.getByRole("button").count()).toBe(0);
  expect(await offered(page)).not.toContain("Limit rate");

  await page.goto(`/p/shop/tasks/bullmq/${encodeURIComponent(`${queueName}:first`)}`);
  await page.getByRole("button", { name: "More actions" }).click();
  const entry = page.getByRole("button", { name: /^Limit rate of this task name/ });
  await entry.getByText(elsewhere).waitFor();
  await entry.click({ force: true });
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(faults).toEqual([]);
});
