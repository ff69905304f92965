import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import { connectRaw, rawHello } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectFleet, type Fleet, fleetSnapshot } from "../traffic/fleet.ts";
import { report } from "../traffic/task-traffic.ts";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let fleet: Fleet;
beforeAll(async () => {
  brain = await startBrainWithSite();
  fleet = await connectFleet(brain);
});
afterAll(() => brain?.stop());

const at = (path: string) => `/p/${brain.project.slug}/${path}`;
const open = (path: string) =>
  openScreen(brain, { cookie: brain.as.viewer.cookie }).then(async (screen) => {
    await screen.page.goto(at(path));
    return screen;
  });

describe("the lists", () => {
  test("of queues show when each was last seen", async () => {
    const { page } = await open("queues");
    const row = page.getByRole("row", { name: /^reports/ });
    await row
      .getByText(/^\d+ s ago$/)
      .last()
      .waitFor();
    // The exact time is available without a tooltip.
    const exact = /^\d+ s ago \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? UTC\)$/;
    await row.getByRole("cell", { name: exact }).waitFor();
    expect(await page.getByRole("columnheader").last().textContent()).toBe("Last seen");
  });

  test("of queues show the figures of a new queue", async () => {
    const { page } = await open("queues");
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    await page.getByRole("row", { name: /billing/ }).waitFor();
    const snapshot = fleetSnapshot();
    fleet.report({
      ...snapshot,
      queue_depths: { ...snapshot.queue_depths, exports: 2 },
      queue_consumers: { ...snapshot.queue_consumers, exports: 1 },
    });

    // Polling would take up to 30 s.
    const ended = page
      .getByRole("row", { name: /exports/ })
      .getByRole("cell")
      .nth(6);
    await ended.waitFor();
    await ended.getByText("0", { exact: true }).waitFor({ timeout: 10_000 });
    fleet.report(fleetSnapshot());
  });

  test("of workers show reported load and memory, and a dash otherwise", async () => {
    const { page } = await open("workers");
    await page.getByText("worker-a.internal").waitFor();
    const heads = await page.getByRole("columnheader").allTextContents();
    const cells = (name: string) =>
      page
        .getByRole("row")
        .filter({ has: page.getByRole("link", { name, exact: true }) })
        .filter({ hasText: "bullmq" })
        .getByRole("cell")
        .allTextContents();
    const shown = async (name: string) => {
      const texts = await cells(name);
      return [texts[heads.indexOf("Load")], texts[heads.indexOf("Memory")]];
    };
    await waitFor(async () => (await shown("billing-1")).join() === "3.40,256.0 MB");
    expect(await shown("mailer-1")).toEqual(["0.41", "128.0 MB"]);
    report(fleet, [
      { kind: "task.sent", taskId: "seen-1", data: { task_name: "emails.send", queue: "emails" } },
      { kind: "task.started", taskId: "seen-1", data: { worker: "unseen-1" } },
    ]);
    await page.getByRole("link", { name: "unseen-1", exact: true }).waitFor();
    expect(await shown("unseen-1")).toEqual(["–", "–"]);
  });

  test("of workers are filtered by host and queue, in the URL", async () => {
    const { page } = await open("workers");
    await page.getByText("worker-b.internal").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("worker-b reports");
    await page.waitForURL("**/workers?filter=worker-b+reports");
    await waitFor(async () => (await page.locator("tbody tr td a b").allTextContents()).join() === "mailer-1");
    await page.getByText("1 shown, ").waitFor();
    await page.keyboard.type(" nothing");
    await page.getByText("No workers match").waitFor();
  });
});

describe("a worker", () => {
  test("without running tasks is idle", async () => {
    const snapshot = fleetSnapshot();
    fleet.report({
      ...snapshot,
      worker_details: {
        ...snapshot.worker_details,
        "mailer-1": { ...snapshot.worker_details?.["mailer-1"], active_tasks: 0 },
      },
    });
    const { page } = await open("workers");
    const own = page.getByRole("row").filter({ hasText: "worker-b.internal" });
    await own.getByText("0 of 20").waitFor();
    await own.getByRole("link", { name: "mailer-1", exact: true }).click();
    await page.getByText("Idle", { exact: true }).waitFor();
    fleet.report(fleetSnapshot());
  });
});

describe("queues and workers of the same name in two engines", () => {
  beforeAll(async () => {
    const names = (taskId: string) => ({ task_name: "celery.task", queue: "emails", taskId });
    const celery = createScriptedAdapter("celery");
    celery.answerSnapshot(async () => ({ queue_depths: { emails: 3 } }));
    const connected = await brain.connectAgent({ engines: [celery], bufferName: "celery" });
    // More than the panels list, and all newer than those of the other engine.
    report(
      { ...connected, adapter: celery },
      Array.from({ length: 30 }, (_, index) => names(`celery-${index}`)).flatMap(({ taskId, ...data }) => [
        { kind: "task.sent", taskId, ago: 2, data },
        { kind: "task.started", taskId, ago: 1, data: { worker: "mailer-1" } },
        { kind: "task.failed", taskId, data: { worker: "mailer-1", exception: "CeleryError: of the other engine" } },
      ]),
    );
    report(fleet, [
      { kind: "task.sent", taskId: "mail-lost", ago: 40, data: { task_name: "emails.send", queue: "emails" } },
      { kind: "task.started", taskId: "mail-lost", ago: 39, data: { worker: "mailer-1" } },
      {
        kind: "task.failed",
        taskId: "mail-lost",
        ago: 38,
        data: { worker: "mailer-1", exception: "MailError: bounced" },
      },
    ]);
    const tasks = `/projects/${brain.project.slug}/tasks`;
    const failed = async (engine: string) =>
      (await brain.as.root.get(`${tasks}?state=failure&q=engine:${engine}&queue=emails`)).body.items.length;
    await waitFor(async () => (await failed("celery")) === 30 && (await failed("bullmq")) === 1);
  });

  test("are kept apart: failures, states and links to the list are those of one engine", async () => {
    const { page, faults } = await open("queues/bullmq/emails");
    const part = (name: string) => page.getByRole("region", { name, exact: true });
    await part("Recent failures").getByText("MailError: bounced").waitFor();
    expect(await part("Recent failures").getByText("CeleryError").count()).toBe(0);
    await part("Tasks by state").getByRole("link", { name: "1 task in state failure" }).click();
    await page.getByRole("row", { name: "emails.send failure" }).waitFor();
    expect(await page.getByRole("row", { name: /^celery/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("say that their times include both", async () => {
    const { page } = await open("queues/bullmq/emails");
    await page.getByText("Includes the queue of the same name in celery: times are not recorded per engine.").waitFor();
    await page.goto(at("queues/bullmq/billing"));
    await page.getByRole("region", { name: "Waiting time", exact: true }).getByText("measured").waitFor();
    expect(await page.getByText("Includes the queue of the same name").count()).toBe(0);
  });

  test("link a worker only to its own failures", async () => {
    const { page } = await open("workers");
    await page.getByRole("row").filter({ hasText: "worker-b.internal" }).getByRole("link").first().click();
    const failures = page.getByRole("region", { name: "Recent failures", exact: true });
    await failures.getByText("MailError: bounced").waitFor();
    expect(await failures.getByText("CeleryError").count()).toBe(0);
    await failures.getByRole("link", { name: "All failures" }).click();
    await page.getByRole("row", { name: "emails.send failure" }).waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("engine:bullmq");
  });
});

describe("agents", () => {
  test("that poll have a note that they may show offline", async () => {
    const { minted } = await brain.connectAgent({ transport: "longpoll", bufferName: "polling" });
    const { page } = await open("agents");
    await page.getByText("Long-poll agents may show offline while they only poll for commands.").waitFor();
    await page.goto(at(`agents/${minted.agentId}`));
    await page.getByText("long-poll, may show offline while it only polls for commands").waitFor();
  });

  test("with an incompatible version are marked, with the fix", async () => {
    const minted = await brain.mintAgent("from-the-future");
    const raw = await connectRaw({ url: brain.url, ...minted }, { hello: rawHello({ agent_version: "9.1.0" }) });
    const { page } = await open("agents");
    const row = page.getByRole("row", { name: /from-the-future/ });
    await row.getByText("9.1.0").waitFor();
    await expect.poll(() => row.getByText("incompatible").getAttribute("title")).toContain("Upgrade the older one");
    await row.getByRole("link").click();
    await page.getByText("Its major version differs from the server's. Upgrade the older one.").waitFor();
    await raw.close();
  });
});
