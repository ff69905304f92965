import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startRedis } from "@svc/testkit";
import { startNewBrain } from "@svc/testkit/brain";
import { builtDashboard, plainEnvironment } from "@svc/testkit/built-program";
import { Queue, Worker } from "bullmq6";
import { expect, onTestFinished, test } from "vitest";
import { openScreen } from "../window/screen.ts";

const gettingStarted = new URL("../../../../docs/get-started/getting-started.md", import.meta.url);

/** The numbered steps of the guide, in order. */
async function guideSteps(): Promise<string[]> {
  const [, guide = ""] = (await readFile(gettingStarted, "utf8")).split("## From clone to your first task\n");
  const [section = ""] = guide.split("\n## ");
  return [...section.matchAll(/^\d+\. ([\s\S]*?)(?=^\d+\. |(?![\s\S]))/gm)].map(([, step = ""]) => step);
}

test("takes a newcomer eight steps from clone to the first own task, as the guide says", async () => {
  const redis = await startRedis();
  onTestFinished(redis.stop);
  const connection = { host: "127.0.0.1", port: redis.port, maxRetriesPerRequest: null };
  const queue = new Queue("emails", { connection });
  onTestFinished(() => queue.close());
  const worker = new Worker("emails", async () => "sent", { connection });
  onTestFinished(() => worker.close());
  await queue.add("welcome", { to: 7 });

  const steps = await guideSteps();
  let done = 0;
  /** One command, click, or form with its fields. */
  async function step(text: RegExp, act?: () => Promise<unknown>) {
    expect(steps[done]).toMatch(text);
    done += 1;
    await act?.();
  }

  // The first two steps have already been done to start this service.
  await step(/git clone/);
  await step(/npm ci && npm start/);
  const brain = await startNewBrain({ SVC_DASHBOARD_DIST: builtDashboard });
  onTestFinished(() => brain.stop());
  const { page, faults } = await openScreen({ url: brain.link.origin });
  const dialog = page.getByRole("dialog");
  await step(/Open the link/, () => page.goto(brain.link.href));
  await step(/Create and sign in/, async () => {
    await page.getByLabel("Email").fill("mira@example.org");
    await page.getByLabel("Password").fill("Violet-Harbour-71");
    await page.getByRole("button", { name: "Create and sign in" }).click();
  });
  await step(/Create agent/, () => page.getByRole("button", { name: "Create agent" }).click());
  await step(/name/, () => dialog.getByRole("button", { name: "Create agent" }).click());
  await step(/[Cc]opy/, async () => {
    await dialog.getByLabel("Redis URL").fill(redis.url);
    await dialog.getByText(`--redis ${redis.url}`).waitFor();
    await dialog.getByRole("button", { name: "Copy", exact: true }).click();
    await startElsewhere(await page.evaluate(() => navigator.clipboard.readText()));
  });
  await step(/I've saved these credentials/, async () => {
    await dialog.getByText("bullmq-1 is connected").waitFor();
    await page.getByLabel("I've saved these credentials").check({ force: true });
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
  });

  await page.getByRole("link", { name: "welcome" }).waitFor();
  expect(done).toBe(8);
  expect(steps).toHaveLength(done);
  expect(faults).toEqual([]);
});

/** Runs a command in a shell, in a folder outside of the repository, until the end of the test. */
async function startElsewhere(command: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "svc-first-task-"));
  const shell = spawn("sh", ["-c", command], {
    cwd: folder,
    detached: true,
    stdio: "ignore",
    env: { ...plainEnvironment, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder },
  });
  const ended = new Promise((resolve) => shell.once("close", resolve));
  onTestFinished(async () => {
    // The shell and the agent that it started.
    if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, "SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });
}
