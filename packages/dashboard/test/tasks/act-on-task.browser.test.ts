import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CommandAgent, type CommandOutcome, connectCommandAgent, held } from "../traffic/command-agent.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain);
});
afterAll(() => brain?.stop());
beforeEach(() => {
  agent.got.length = 0;
  agent.answer = () => ({ status: "success" });
});

const at = (path: string) => `/p/${brain.project.slug}/${path}`;
async function openAs(role: TestRole, path: string) {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(at(path));
  return screen;
}
const tray = (page: Page) => page.getByRole("region", { name: /^Commands/ });

describe("a task", () => {
  test("is retried by reference, and its new task opens from the same page", async () => {
    const { page, faults } = await openAs("operator", "tasks/bullmq/bad-1");
    const result = held<CommandOutcome>();
    agent.answer = () => result.promise;
    await page.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    await dialog.getByText("Sent to agent").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Retry task" }).click();
    await tray(page).getByText("dispatched").waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(agent.got.map(({ action, parameters }) => [action, parameters.task_id, parameters.override_args])).toEqual([
      ["retry_task", "bad-1", null],
    ]);
    // The task's own state is what its engine reports, not what was requested.
    expect(await page.title()).toMatch(/^failure/);
    result.fulfil({ status: "success", result: { new_task_id: "again-1" } });
    await tray(page).getByText("completed").waitFor();
    const { name: agentName } = (await brain.as.operator.get(`/projects/${brain.project.slug}/agents`)).body.items[0];
    await tray(page)
      .getByText(new RegExp(`Done in .* m?s, agent ${agentName}[.]$`))
      .waitFor();
    const link = page.getByRole("link", { name: "again-1" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe(at("tasks/bullmq/again-1"));
    expect(await axeFaults(page)).toEqual([]);

    await page.reload();
    await tray(page).getByText("completed").waitFor();
    await tray(page).getByRole("button", { name: "Clear all" }).click();
    await tray(page).waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("is retried later with changed args and kwargs", async () => {
    const { page } = await openAs("operator", "tasks/bullmq/bad-1");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    await dialog.getByRole("radio", { name: "Changed arguments" }).check();
    const args = dialog.getByLabel("Positional arguments");
    expect(JSON.parse(await args.inputValue())).toEqual([{ order: 88213 }]);
    await args.fill("[12345678901234567890");
    await dialog.getByText("Not valid JSON").waitFor();
    await args.fill("[12345678901234567890]");
    await dialog.getByLabel("Keyword arguments").fill('{"__svc_a": 1}');
    await dialog.getByLabel("Delay (seconds)").fill("86401");
    await dialog.getByRole("button", { name: "Retry task" }).click();
    await dialog.getByText("Names can't start with __svc_").waitFor();
    await dialog.getByText("Enter a whole number from 0 to 86400").waitFor();
    expect(agent.got).toEqual([]);
    await dialog.getByLabel("Keyword arguments").fill('{"currency": "USD"}');
    await dialog.getByLabel("Delay (seconds)").fill("60");
    await dialog.getByRole("button", { name: "Retry task" }).click();
    await dialog.waitFor({ state: "detached" });
    await waitFor(() => agent.got.length === 1);
    const [command] = agent.got;
    expect(JSON.stringify(command?.parameters.override_args)).toBe("[12345678901234567890]");
    expect(command?.parameters.override_kwargs).toEqual({ currency: "USD" });
    expect(Date.parse(String(command?.parameters.eta))).toBeGreaterThan(Date.now());
  });

  test("is retried with changes from its own menu entry, and the rate of its name is limited on its worker", async () => {
    const { page, faults } = await openAs("operator", "tasks/bullmq/bad-1");
    const more = page.getByRole("button", { name: "More actions" });
    await more.click();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Retry with changes" }).click();
    const retry = page.getByRole("dialog", { name: "Retry billing.charge" });
    await retry.getByLabel("Keyword arguments").fill('{"currency": "CHF"}');
    await retry.getByRole("button", { name: "Retry task" }).click();
    await retry.waitFor({ state: "detached" });

    await more.click();
    await page.getByRole("button", { name: "Limit rate of this task name" }).click();
    const limit = page.getByRole("dialog", { name: "Limit rate on billing-1" });
    expect(await limit.getByLabel("Task name").inputValue()).toBe("billing.charge");
    await limit.getByLabel("Rate").fill("5/m");
    await limit.getByRole("button", { name: "Limit rate" }).click();
    await limit.waitFor({ state: "detached" });
    await waitFor(() => agent.got.length === 2);
    expect(agent.got.map(({ action, parameters }) => ({ action, ...parameters }))).toMatchObject([
      { action: "retry_task", task_id: "bad-1", override_kwargs: { currency: "CHF" } },
      { action: "rate_limit", task_name: "billing.charge", rate: "5/m", worker_name: "billing-1" },
    ]);
    expect(faults).toEqual([]);
  });

  test("without a worker explains why the rate of its name cannot be limited", async () => {
    const { page } = await openAs("operator", "tasks/bullmq/wait-1");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: /^Retry with changes.*The task has not finished yet/ }).waitFor();
    const limit = page.getByRole("button", { name: /^Limit rate of this task name.*No worker has started it yet/ });
    await limit.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("shows who retried it and when, also for a retry of several tasks", async () => {
    agent.answer = () => ({ status: "failed", error: "the job is locked by its worker" });
    const path = `/projects/${brain.project.slug}/commands`;
    const filter = { engine: "bullmq", task_ids: ["bad-2", "bad-1"] };
    const many = await brain.as.admin.post(`${path}/bulk-retry`, { agent_id: agent.agentId, filter, max: 2 });
    expect(many.status).toBe(202);
    await brain.as.admin.post(`${path}/cancel-task`, { engine: "bullmq", task_id: "run-1" });
    const { page, faults } = await openAs("operator", "tasks/bullmq/bad-2");
    const story = page.getByRole("region", { name: "What happened" });
    const byOther = story.getByRole("listitem").filter({ hasText: "Retry requested by admin@example.org" });
    await byOther.getByText(/, \d\d:\d\d:\d\d[.] Failed: the job is locked by its worker$/).waitFor();
    expect(await byOther.getByRole("link").getAttribute("href")).toBe(at(`commands/${many.body.id}`));
    expect(await story.getByText("Cancel").count()).toBe(0);

    agent.answer = () => ({ status: "success" });
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    await dialog.getByRole("radio", { name: "Changed arguments" }).check();
    await dialog.getByLabel("Positional arguments").fill("[2]");
    await dialog.getByLabel("Keyword arguments").fill("{}");
    await dialog.getByRole("button", { name: "Retry task" }).click();
    await dialog.waitFor({ state: "detached" });
    await story.getByRole("link", { name: "Retried by you" }).waitFor();
    const newest = page.locator("dl > div", { has: page.getByText("Retry task", { exact: true }) });
    await newest.getByText("completed").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("with redacted inputs has none filled in, and inputs with the marker are not sent", async () => {
    const { page } = await openAs("operator", "tasks/bullmq/bad-2");
    await page.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    await dialog.getByRole("radio", { name: "Changed arguments" }).check();
    expect(await dialog.getByLabel("Positional arguments").inputValue()).toBe("");
    await dialog.getByText("are redacted or truncated, so they aren't filled in").first().waitFor();
    await dialog.getByLabel("Positional arguments").fill('[{"access_token": "[REDACTED]"}]');
    await dialog.getByLabel("Keyword arguments").fill("{}");
    await dialog.getByText("Still contains [REDACTED]. Enter the real value").waitFor();
    await dialog.getByRole("button", { name: "Retry task" }).click({ force: true });
    expect(agent.got).toEqual([]);
  });

  test("is cancelled after a confirmation; a failure stays in the tray with its message", async () => {
    agent.answer = () => ({ status: "failed", error: "the job is locked by its worker" });
    const { page } = await openAs("operator", "tasks?task=bullmq/wait-1");
    const drawer = page.getByRole("dialog", { name: "search.reindex" });
    await drawer.getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel search.reindex" });
    await dialog.getByText("before it runs").waitFor();
    await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
    expect(agent.got).toEqual([]);
    await page.keyboard.press("c");
    await dialog.getByRole("button", { name: "Cancel task" }).click();
    await tray(page).getByText("Failed: the job is locked by its worker").waitFor();
  });

  test("is not retried before it finishes, and not cancelled after it", async () => {
    const { page } = await openAs("operator", "tasks/bullmq/wait-1");
    const titleOf = (name: string) => page.getByRole("button", { name, exact: true }).getAttribute("title");
    await waitFor(async () => (await titleOf("Retry")) === "The task has not finished yet");
    await page.goto(at("tasks/bullmq/bad-1"));
    await waitFor(async () => (await titleOf("Cancel")) === "The task has already finished");
  });

  test.each(["viewer", "auditor"] as const)("explains to a %s why the actions are disabled", async (role) => {
    const { page } = await openAs(role, "tasks/bullmq/bad-1");
    for (const name of ["Retry", "Cancel"]) {
      const button = page.getByRole("button", { name, exact: true });
      await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
      await expect.poll(() => button.getAttribute("title")).toBe("Needs the operator role in this project");
      await button.click({ force: true });
    }
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});

describe("a rejected request", () => {
  test("is explained, and repeating the request returns the same command", async () => {
    const { page } = await openAs("operator", "tasks/bullmq/bad-1");
    await page.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    const keys: unknown[] = [];
    await page.route("**/commands/retry-task", async (route) => {
      keys.push((route.request().postDataJSON() as { idempotency_key: unknown }).idempotency_key);
      // The first response is lost.
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    const send = dialog.getByRole("button", { name: "Retry task" });
    await send.click();
    await dialog
      .getByText("We couldn't confirm the request. It's safe to try again here: it won't run twice.")
      .waitFor();
    await send.click();
    await dialog.waitFor({ state: "detached" });
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    await waitFor(() => agent.got.length === 1);
    await tray(page).getByText("completed").waitFor();
    expect(agent.got).toHaveLength(1);
  });
});

describe("without an eligible agent", () => {
  test("the buttons explain it", async () => {
    await using other = await startBrainWithSite();
    const weak = await connectCommandAgent(other, ["cancel_task", "retry_task"]);
    const { page } = await openScreen(other, { cookie: other.as.operator.cookie });
    await page.goto(`/p/${other.project.slug}/tasks/bullmq/bad-1`);
    const title = () => page.getByRole("button", { name: "Retry", exact: true }).getAttribute("title");
    await waitFor(async () => (await title()) === "The agents for bullmq can't retry safely. Update them");
    expect(weak.got).toEqual([]);
  });

  test("an engine that resubmits tasks gets no retry without inputs", async () => {
    await using other = await startBrainWithSite();
    const tokens = ["retry_task", "retry_by_reference_v1", "retry_resubmits"];
    const resubmitting = await connectCommandAgent(other, tokens);
    const { page } = await openScreen(other, { cookie: other.as.operator.cookie });
    await page.goto(`/p/${other.project.slug}/tasks/bullmq/bad-1`);
    await page.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    await dialog.getByText("bullmq retries by submitting a new task").waitFor();
    expect(await dialog.getByText("Original arguments").count()).toBe(0);
    await dialog.getByRole("button", { name: "Retry task" }).click();
    await dialog.waitFor({ state: "detached" });
    await waitFor(() => resubmitting.got.length === 1);
    expect(resubmitting.got[0]?.parameters.override_args).toEqual([{ order: 88213 }]);
  });
});
