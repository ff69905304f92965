import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestBrain } from "@svc/testkit/brain";
import type {} from "@svc/testkit/services/setup/redis-setup";
import { type Sidecar, startSidecar } from "@svc/testkit/sidecar-process";
import { Queue, Worker } from "bullmq6";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

const prefix = `t-${randomUUID()}`;
const queueName = `${prefix}:billing`;
let brain: TestBrain;
let folder: string;
let sidecar: Sidecar;
let queue: Queue;
let worker: Worker;
/** Fails the job that the worker runs. */
let decline: () => void;

beforeAll(async () => {
  [brain, folder] = await Promise.all([startBrainWithSite(), mkdtemp(join(tmpdir(), "svc-side-car-"))]);
  const redis = inject("redisUrl");
  const { hostname, port } = new URL(redis);
  const settings = { connection: { host: hostname, port: Number(port), maxRetriesPerRequest: null }, prefix };
  queue = new Queue("billing", settings);
  worker = new Worker("billing", chargeCard, { ...settings, name: "charger-1", concurrency: 2 });
  await worker.waitUntilReady();
  sidecar = startSidecar(["--redis", redis, "--prefix", prefix], {
    brainUrl: brain.url,
    minted: await brain.mintAgent("redis-side-car"),
    folder,
  });
});
afterAll(async () => {
  decline?.();
  await Promise.all([sidecar?.stop(), worker?.close(), queue?.close()]);
  await brain?.stop();
  await rm(folder, { recursive: true, force: true });
});

function chargeCard(): Promise<unknown> {
  return new Promise((_, reject) => {
    decline = () => reject(new TypeError("card declined by gateway eu-1"));
  });
}

test("a job of a real BullMQ worker is shown running, then failed with its cause", async () => {
  const { page, faults } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
  await page.goto(`/p/${brain.project.slug}/tasks`);
  await queue.add("charge", { order: 88213, password: "hunter2" }, { jobId: "order-88213" });

  const running = page.getByRole("row", { name: "charge started" });
  await running.waitFor();
  decline();
  const failed = page.getByRole("row", { name: "charge failure" });
  await failed.waitFor();
  expect(await running.count()).toBe(0);

  // On its name: in the middle of a row the cell filter would appear under the pointer.
  await failed.getByText("charge", { exact: true }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("card declined by gateway eu-1").first().waitFor();
  await drawer.getByText("bullmq.browser.test.ts").first().waitFor();
  await page.keyboard.press("Escape");

  const rail = page.getByRole("navigation", { name: "Project" });
  await rail.getByRole("link", { name: /^Queues/ }).click();
  await page.getByRole("link", { name: queueName, exact: true }).click();
  const failures = page.getByRole("region", { name: "Recent failures", exact: true });
  await failures.getByText(/card declined by gateway eu-1/).waitFor();
  const serving = page.getByRole("region", { name: "Workers", exact: true });
  await serving.getByRole("link", { name: "charger-1" }).click();
  await page.getByRole("heading", { level: 1, name: "charger-1" }).waitFor();
  await page.getByText("Idle", { exact: true }).waitFor();
  // A side-car alone can't control workers: one sentence says so, and values it never reports are omitted.
  const control = page.getByRole("region", { name: "Control", exact: true });
  await control.getByText("BullMQ workers can't be controlled from here.").waitFor();
  expect(await control.getByRole("button").count()).toBe(0);
  expect(await page.locator("main").textContent()).not.toMatch(/(Load|Memory), as reported/);
  await rail.getByRole("link", { name: /^Workers/ }).click();
  await page.getByRole("row", { name: /charger-1/ }).waitFor();
  const heads = await page.getByRole("columnheader").allTextContents();
  expect(heads).not.toContain("Load");
  expect(heads).not.toContain("Memory");

  await rail.getByRole("link", { name: /^Overview/ }).click();
  const newest = page.getByRole("region", { name: "Newest failures", exact: true });
  await newest.getByRole("link", { name: /^charge/ }).waitFor();
  expect(await page.content()).not.toContain("hunter2");
  expect(faults).toEqual([]);
});
