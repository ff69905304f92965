import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import type {} from "@svc/testkit/services/setup/redis-setup";
import { type Sidecar, startSidecar } from "@svc/testkit/sidecar-process";
import { Queue, Worker } from "bullmq6";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

const svcEntry = fileURLToPath(new URL("../../../cli/bin/svc.js", import.meta.url));
const prefix = `t-${randomUUID()}`;
const queueName = `${prefix}:mail`;
const taskOf = (jobId: string) => `${queueName}:${jobId}`;
let brain: TestBrain;
let folder: string;
let sidecar: Sidecar;
let queue: Queue;
let worker: Worker;
let isHealthy = false;

beforeAll(async () => {
  [brain, folder] = await Promise.all([startBrainWithSite(), mkdtemp(join(tmpdir(), "svc-health-"))]);
  const redis = inject("redisUrl");
  const { hostname, port } = new URL(redis);
  const settings = { connection: { host: hostname, port: Number(port), maxRetriesPerRequest: null }, prefix };
  queue = new Queue("mail", settings);
  worker = new Worker(
    "mail",
    async () => {
      if (!isHealthy) throw new Error("mailbox full");
    },
    settings,
  );
  await worker.waitUntilReady();
  const minted = await brain.mintAgent("redis-side-car");
  sidecar = startSidecar(["--redis", redis, "--prefix", prefix], { brainUrl: brain.url, minted, folder });
});
afterAll(async () => {
  await Promise.all([sidecar?.stop(), worker?.close(), queue?.close()]);
  await brain?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs `svc` in its own process and home directory. */
const svc = async (args: readonly string[], apiKey: string) => {
  const env = { PATH: process.env.PATH, HOME: folder, SVC_HOME: folder, SVC_BRAIN_URL: brain.url, SVC_API_KEY: apiKey };
  const { stdout } = await promisify(execFile)(process.execPath, [svcEntry, ...args], { env, cwd: folder });
  return JSON.parse(stdout);
};
const succeeds = (jobId: string) =>
  waitFor(
    async () => {
      const { body } = await brain.as.viewer.get(`/projects/shop/tasks/bullmq/${encodeURIComponent(taskOf(jobId))}`);
      return body.state === "success";
    },
    { that: `${jobId} succeeds` },
  );
const tray = (page: Page) => page.getByRole("region", { name: /^Commands/ });

test("a failing BullMQ queue is recovered in the dashboard, on the command line and by API, and the audit page shows it", async () => {
  const { page, faults } = await openScreen(brain, { cookie: brain.as.operator.cookie });
  for (const jobId of ["by-hand", "dead", "by-command", "by-api"]) await queue.add(jobId, {}, { jobId });
  await page.goto("/p/shop/tasks?state=failure");
  for (const name of ["by-hand", "dead", "by-command", "by-api"]) {
    await page.getByRole("row", { name: `${name} failure` }).waitFor();
  }
  isHealthy = true;

  await page.getByRole("row", { name: "by-hand failure" }).getByText("by-hand").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await page.getByRole("button", { name: "Retry task" }).click();
  await tray(page).getByText("completed").waitFor();
  await succeeds("by-hand");

  await page.goto(`/p/shop/dead-letters?queue=${encodeURIComponent(queueName)}`);
  await page.getByRole("option", { name: "bullmq" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Load dead letters" }).click();
  const dead = page.getByRole("row").filter({ hasText: taskOf("dead") });
  await dead.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Requeue 1 dead letter" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Requeue/ })
    .click();
  await succeeds("dead");

  const key = (
    await brain.as.operator.post("/api-keys", { name: "terminal", scopes: ["commands:write", "tasks:read"] })
  ).body.token;
  const words = ["tasks", "retry", "bullmq", taskOf("by-command"), "--project", "shop", "--json"];
  expect(await svc(words, key)).toMatchObject({ commands: [{ status: "completed" }], refused: [] });
  await succeeds("by-command");

  const body = { engine: "bullmq", task_id: taskOf("by-api") };
  expect((await brain.as.admin.post("/projects/shop/commands/retry-task", body)).status).toBe(202);
  await succeeds("by-api");
  await page.goto("/p/shop/tasks?state=failure");
  await page.getByText("No tasks match").waitFor();
  expect(faults).toEqual([]);
  await page.context().close();

  const auditor = await openScreen(brain, { cookie: brain.as.auditor.cookie });
  await auditor.page.goto("/p/shop/audit?action=command.issue.");
  const rows = auditor.page.locator("main tbody tr").filter({ hasText: "command.issue." });
  await rows.nth(3).waitFor();
  const shown = (await rows.allInnerTexts()).map((text) => text.split("\t").slice(1, 3));
  expect(shown).toEqual([
    ["admin@example.org", "command.issue.retry_task"],
    ["operator", "command.issue.retry_task"],
    ["operator", "command.issue.requeue_dead_letter"],
    ["operator", "command.issue.retry_task"],
  ]);
  await rows.nth(1).getByRole("button").click();
  const drawer = auditor.page.getByRole("dialog");
  await drawer.getByText(taskOf("by-command")).waitFor();
  await drawer.getByText("svc-cli").waitFor();
});
