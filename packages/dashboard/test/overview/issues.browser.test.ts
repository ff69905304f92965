import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { actions, type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { axeFaults, chooseInAddress, openScreen, startBrainWithSite } from "../window/screen.ts";

const pythonTrace = `Traceback (most recent call last):
  File "/srv/app/mail.py", line 41, in send
    deliver(message)
  File "/usr/lib/python3.12/site-packages/smtp/client.py", line 9, in deliver
    raise SmtpError("mailbox is full")
smtp.SmtpError: mailbox is full`;
const nodeTrace = `PaymentError: upstream 503
    at GatewayClient.post (/app/src/gateway.ts:87:11)
    at async Worker.processJob (/app/node_modules/bullmq/dist/worker.js:512:28)`;

let brain: TestBrain;
let agent: CommandAgent;
const slug = () => brain.project.slug;
const failed = (taskId: string, name: string, exception: string, traceback: string, ago: number): ReportedEvent[] => [
  { kind: "task.sent", taskId, ago: ago + 5, data: { task_name: name, queue: name.split(".")[0] ?? "" } },
  { kind: "task.started", taskId, ago: ago + 2, data: { worker: `${name.split(".")[0]}-7` } },
  { kind: "task.failed", taskId, ago, data: { exception, traceback } },
];

beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain);
  report(agent, [
    ...failed("mail-1", "mail.send", "smtp.SmtpError: mailbox is full", pythonTrace, 30),
    ...failed("mail-2", "mail.send", "smtp.SmtpError: mailbox is full", pythonTrace, 20),
    ...failed("pay-1", "pay.charge", "PaymentError: upstream 503", nodeTrace, 10),
  ]);
  await waitFor(async () => (await issues()).length === 3);
});
afterAll(() => brain?.stop());
beforeEach(() => {
  agent.got.length = 0;
  agent.answer = () => ({ status: "success" });
});

async function issues(): Promise<{ fingerprint: string; sample_task_name: string }[]> {
  return (await brain.as.admin.get(`/projects/${slug()}/issues`)).body.items;
}
const printOf = async (name: string): Promise<string> =>
  (await issues()).find((issue) => issue.sample_task_name === name)?.fingerprint ?? "";

async function openAs(role: TestRole, path: string) {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(`/p/${slug()}/${path}`);
  return screen;
}
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const live = (page: Page) => page.getByRole("button", { name: /^Connection: live/ }).waitFor();

describe("the issue list", () => {
  test("has one row for similar failures, most recent first, and shows new ones live", async () => {
    const { page, faults } = await openAs("viewer", "issues");
    await row(page, "mail.send").waitFor();
    await live(page);
    const names = () => page.locator("tbody tr:not([aria-hidden]) small").allTextContents();
    expect(await names()).toEqual(["pay.charge, ongoing", "mail.send, ongoing", "billing.charge, ongoing"]);
    const cells = row(page, "mail.send").getByRole("cell");
    expect(await cells.nth(1).textContent()).toBe("ongoing");
    expect(await cells.nth(0).textContent()).toContain("smtp.SmtpError new mailbox is full");
    expect(await cells.nth(3).textContent()).toBe("2");
    await page.getByText("End of list (3)").waitFor();

    report(
      agent,
      failed("late-1", "late.task", "LateError: too late", "LateError: too late\n    at run (/app/late.ts:1:1)", 0),
    );
    await row(page, "late.task").waitFor();
    await page.getByText("End of list (4)").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("is narrowed by status, kept in the address; what means nothing there is dropped", async () => {
    const { page } = await openAs("viewer", "issues");
    await row(page, "mail.send").waitFor();
    await chooseInAddress(page.getByRole("radio", { name: "Recovered" }));
    await page.waitForURL("**/issues?status=recovered");
    await page.getByText("No issues match").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await row(page, "mail.send").waitFor();
    await page.goto(`/p/${slug()}/issues?status=closed`);
    await row(page, "mail.send").waitFor();
  });
});

test("the list of issues sorts by failures and keeps the order in the address", async () => {
  const { page, faults } = await openAs("viewer", "issues");
  await row(page, "mail.send").waitFor();
  const names = () => page.locator("tbody tr:not([aria-hidden]) small").allTextContents();
  expect((await names())[0]).not.toContain("mail.send");
  await page.getByRole("combobox", { name: "Sort by" }).selectOption("Most failures");
  await page.waitForURL("**/issues?sort=occurrences");
  await expect.poll(async () => (await names())[0]).toBe("mail.send, ongoing");
  await page.reload();
  await expect.poll(async () => (await names())[0]).toBe("mail.send, ongoing");
  await page.goto(`/p/${slug()}`);
  const top = page.getByRole("region", { name: "Top issues" }).first();
  await expect.poll(() => top.getByRole("row").nth(1).textContent()).toContain("mail.send");
  await top.getByRole("link", { name: "All issues" }).click();
  await page.waitForURL("**/issues?sort=occurrences*");
  expect(faults).toEqual([]);
});

describe("the page of an issue", () => {
  test.each([
    ["Python", "mail.send", "/srv/app/mail.py", "smtp"],
    ["Node", "pay.charge", "/app/src/gateway.ts", "bullmq"],
  ])(
    "shows the frames of a traceback of %s, own ones open and those of libraries folded",
    async (_name, task, own, library) => {
      const { page, faults } = await openAs("viewer", `issues/${await printOf(task)}`);
      const traceback = page.getByRole("region", { name: "Traceback" }).last();
      await traceback.getByText(own).waitFor();
      await traceback.getByText("1 library frame").waitFor();
      expect(await traceback.getByText("1 library frame").textContent()).toContain(library);
      expect(faults).toEqual([]);
    },
  );

  test("shows count, first occurrence, place and tasks, and links to them and back", async () => {
    const print = await printOf("mail.send");
    const { page, faults } = await openAs("viewer", `issues/${print}`);
    await page.getByRole("heading", { level: 1, name: "smtp.SmtpError" }).waitFor();
    const where = page.getByRole("region", { name: "Where it happens" });
    await where.getByRole("link", { name: "mail-7" }).waitFor();
    await page.getByRole("slider", { name: /^Failures over time/ }).waitFor();
    expect(
      await page
        .getByText(/^Still failing/)
        .locator("..")
        .textContent(),
    ).toContain("2");
    const tasks = page.getByRole("region", { name: "Tasks" }).first();
    expect(await tasks.getByRole("link", { name: "mail.send" }).count()).toBe(2);
    expect(await axeFaults(page)).toEqual([]);

    await tasks.getByRole("link", { name: "mail.send" }).first().click();
    await page.getByRole("link", { name: "View issue" }).click();
    await page.getByRole("heading", { level: 1, name: "smtp.SmtpError" }).waitFor();
    const all = new URL((await page.getByRole("link", { name: "View tasks" }).getAttribute("href")) ?? "", brain.url);
    expect(all.searchParams.get("q")).toBe(`fingerprint:${print}`);
    expect(faults).toEqual([]);
  });

  test("counts a failure that comes while it is open", async () => {
    const { page } = await openAs("viewer", `issues/${await printOf("pay.charge")}`);
    await page.getByRole("heading", { level: 1, name: "PaymentError" }).waitFor();
    await live(page);
    const tasks = page.getByRole("region", { name: "Tasks" }).first();
    await expect.poll(() => tasks.getByRole("link", { name: "pay.charge" }).count()).toBe(1);
    report(agent, failed("pay-2", "pay.charge", "PaymentError: upstream 503", nodeTrace, 0));
    await expect.poll(() => tasks.getByRole("link", { name: "pay.charge" }).count()).toBe(2);
    await page.getByRole("button", { name: /^Retry 2 tasks/ }).waitFor();
  });

  test("retries its failed tasks by one command", async () => {
    const { page, faults } = await openAs("operator", `issues/${await printOf("mail.send")}`);
    await page.getByRole("button", { name: "Retry 2 tasks" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry 2 tasks" });
    await dialog.getByRole("button", { name: "Retry 2 tasks" }).click();
    await waitFor(() => agent.got.length === 1);
    const filter = agent.got[0]?.parameters.filter as { task_ids: string[] };
    expect([agent.got[0]?.action, filter.task_ids.toSorted()]).toEqual(["bulk_retry", ["mail-1", "mail-2"]]);
    await dialog.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("cannot retry for a viewer, and says why", async () => {
    const { page } = await openAs("viewer", `issues/${await printOf("mail.send")}`);
    const button = page.getByRole("button", { name: "Retry 2 tasks" });
    await button.waitFor();
    await expect.poll(() => button.getAttribute("title")).toBe("Needs the operator role in this project");
    await button.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("says when an issue failed that did not in the chosen time", async () => {
    const print = await printOf("mail.send");
    const { page } = await openAs("viewer", `issues/${print}?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z`);
    await page
      .getByText(/No failures in this time range[.] Last seen .* ago[.] .* 2 tasks within retention[.]/)
      .waitFor();
    await page.getByRole("heading", { level: 1, name: "smtp.SmtpError" }).waitFor();
  });

  test("compares its own failures, not all of the task name, with the passes of that name", async () => {
    const failures = (kind: string) =>
      Array.from({ length: 5 }, (_, index) =>
        failed(`${kind}-${index}`, "sync.pull", `${kind}: no`, `${kind}: no\n    at run (/app/${kind}.ts:1:1)`, index),
      ).flat();
    const passes = Array.from({ length: 6 }, (_, index): ReportedEvent[] => [
      { kind: "task.sent", taskId: `pull-${index}`, ago: 5, data: { task_name: "sync.pull", queue: "sync" } },
      { kind: "task.succeeded", taskId: `pull-${index}`, ago: 1, data: { worker: "sync-1" } },
    ]).flat();
    report(agent, [...passes, ...failures("LockError"), ...failures("QuotaError")]);
    await waitFor(async () => (await issues()).filter((issue) => issue.sample_task_name === "sync.pull").length === 2);
    const { page, faults } = await openAs("viewer", `issues/${await printOf("sync.pull")}`);
    const panel = page.getByRole("region", { name: "What's different about the failures" });
    await panel
      .getByText("5 failures of this issue compared with 6 successes of the same task name (last 24 h).")
      .waitFor();
    expect(await panel.getByRole("row").filter({ hasText: "sync-7" }).textContent()).toContain("100 %0 %");
    const link = await panel.getByRole("link", { name: "View failures" }).getAttribute("href");
    expect(new URL(link ?? "", brain.url).searchParams.get("q")).toBe(`fingerprint:${await printOf("sync.pull")}`);
    expect(faults).toEqual([]);
  });

  test("is not there for a fingerprint of no task, or one that is none", async () => {
    const { page } = await openAs("viewer", `issues/${"0".repeat(32)}`);
    await page.getByText("Issue not found").waitFor();
    await page.goto(`/p/${slug()}/issues/nonsense`);
    await page.getByText("Issue not found").waitFor();
  });
});

test("an agent that cannot retry several tasks is named as the reason", async () => {
  await using other = await startBrainWithSite();
  const poor = await connectCommandAgent(
    other,
    actions.filter((action) => action !== "bulk_retry"),
  );
  const [first] = (await other.as.operator.get(`/projects/${other.project.slug}/issues`)).body.items;
  const { page } = await openScreen(other, { cookie: other.as.operator.cookie });
  await page.goto(`/p/${other.project.slug}/issues/${first.fingerprint}`);
  await page.getByRole("button", { name: /^Retry/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Retry/ });
  await dialog.getByRole("status").getByText("No online agent for bullmq can retry several tasks at once").waitFor();
  expect(poor.got).toEqual([]);
});
