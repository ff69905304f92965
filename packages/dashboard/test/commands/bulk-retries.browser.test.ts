import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CommandAgent, type CommandOutcome, connectCommandAgent, held } from "../traffic/command-agent.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
beforeAll(async () => {
  // Tests send from different addresses: the rate limit is per address.
  const env = { SVC_TRUSTED_PROXIES: "127.0.0.1" };
  brain = await startBrainWithSite({ env });
  agent = await connectCommandAgent(brain);
});
afterAll(() => brain?.stop());
beforeEach(() => {
  agent.got.length = 0;
  agent.answer = () => ({ status: "success" });
});

const at = (path: string) => `/p/${brain.project.slug}/${path}`;
const openAs = async (role: TestRole, path: string, size: "desktop" | "phone" = "desktop") => {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie, size });
  await screen.page.goto(at(path));
  return screen;
};
let made = 0;
async function create(body: Record<string, unknown>): Promise<string> {
  made += 1;
  const path = `/projects/${brain.project.slug}/bulk-retry-requests`;
  const headers = { "x-forwarded-for": `10.8.0.${made}` };
  const answer = await brain.as.operator.post(path, { idempotency_key: `made-${made}`, ...body }, headers);
  expect([200, 202]).toContain(answer.status);
  return answer.body.id;
}
const failing = { filter: { state: "failure" } };
const tray = (page: Page) => page.getByRole("region", { name: /^Commands/ });
const bar = (page: Page) => page.getByRole("region", { name: "Selected tasks" });
const children = (page: Page) => page.getByRole("region", { name: "Tasks", exact: true });
const fact = (page: Page, label: string) =>
  page.locator("dl > div", { has: page.getByText(label, { exact: true }) }).locator("dd");

async function openDialog(page: Page) {
  await page.locator("[role=row][id]").first().getByRole("checkbox").check({ force: true });
  await bar(page).getByRole("button", { name: "Select all 2 matching" }).click();
  await bar(page).getByRole("button", { name: "Retry" }).click();
  const dialog = page.getByRole("dialog", { name: "Retry 2 tasks" });
  await dialog.getByText("2 of bullmq, by agent").waitFor();
  return dialog;
}

describe("the dialog", () => {
  test("shows the plan, takes limits by keyboard, and opens a page that follows it to its end", async () => {
    const { page, faults } = await openAs("operator", "tasks?state=failure");
    const result = held<CommandOutcome>();
    agent.answer = () => result.promise;
    const dialog = await openDialog(page);
    await dialog.getByText("Retries all tasks with state: failure that exist when it starts").waitFor();
    await dialog.getByText("Queue: billing 2").waitFor();
    const limit = dialog.getByLabel("Canary size");
    await dialog.getByLabel("Allowed canary failures").fill("1");
    await dialog.getByText("Enter a canary size first").waitFor();
    await limit.fill("10001");
    await dialog.getByText("Enter a whole number from 1 to 10,000").waitFor();
    await limit.press("Enter");
    expect(await axeFaults(page)).toEqual([]);
    await limit.fill("2");
    await dialog.getByLabel("Max per minute").fill("6000");
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("-requests"));
    await dialog.getByLabel("Max per minute").press("Enter");
    const { idempotency_key: _, ...body } = (await sent).postDataJSON() as Record<string, unknown>;
    expect(body).toEqual({
      filter: { state: "failure" },
      max: 10_000,
      canary_size: 2,
      canary_max_failures: 1,
      rate_per_minute: 6000,
    });

    await page.waitForURL(/[/]bulk-retries[/]/);
    await page.getByText("2, 1 may fail").waitFor();
    await page.getByText("6,000 per minute").waitFor();
    await tray(page).getByText("in progress").waitFor();
    await children(page).getByText("sent", { exact: true }).first().waitFor();
    result.fulfil({ status: "success" });
    await page.getByText("re-queued.").first().waitFor();
    expect(await fact(page, "Retried").textContent()).toContain("100 % of 2");
    await children(page)
      .getByRole("row", { name: /^retried/ })
      .nth(1)
      .waitFor();
    expect(agent.got.map(({ action }) => action)).toEqual(["bulk_retry", "bulk_retry"]);
    await tray(page).getByText("succeeded").waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.goto(at("tasks"));
    await tray(page).getByRole("link", { name: "Retry all with state: failure" }).click();
    await page.waitForURL(/[/]bulk-retries[/]/);
    expect(await page.title()).toMatch(/^Bulk retry \w{8}, Commands/);
    expect(faults).toEqual([]);
  });

  test("creates one bulk retry when the response is lost and the request is repeated", async () => {
    const { page } = await openAs("operator", "tasks?state=failure");
    const dialog = await openDialog(page);
    const ids: string[] = [];
    await page.route("**/bulk-retry-requests", async (route) => {
      const answer = await route.fetch();
      ids.push((await answer.json()).id);
      return ids.length > 1 ? route.fulfill({ response: answer }) : route.abort();
    });
    const send = dialog.getByRole("button", { name: "Retry 2 tasks" });
    await send.click();
    await dialog
      .getByText("We couldn't confirm the request. It's safe to try again here: it won't run twice.")
      .waitFor();
    await send.click();
    await page.waitForURL(/[/]bulk-retries[/]/);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });

  test("shows why nothing was started", async () => {
    const { page } = await openAs("operator", "tasks?state=failure");
    const dialog = await openDialog(page);
    const refusals = [
      [422, "validation_error", { matched: 12_345, max: 10_000 }, "12,345 tasks match now. The maximum is 10,000"],
      [400, "validation_error", { reason: "engine_not_advertised" }, "No online agent serves this engine."],
      [409, "conflict", { reason: "idempotency_key_in_use" }, "The same key was used for a different request."],
      [403, "forbidden", {}, "Your role doesn't allow this."],
      [429, "rate_limited", { bucket: "bulk" }, "Wait a moment"],
    ] as const;
    let next = 0;
    await page.route("**/bulk-retry-requests", (route) => {
      const [status, error, details] = refusals[next++] ?? refusals[0];
      const headers = status === 429 ? { "retry-after": "30" } : {};
      return route.fulfill({ status, headers, json: { error, message: error, details, request_id: "r" } });
    });
    for (const [, , , message] of refusals) {
      await dialog.getByRole("button", { name: "Retry 2 tasks" }).click();
      await dialog.getByRole("alert").getByText(message).waitFor();
    }
    await expect
      .poll(() => dialog.getByRole("button", { name: /^Wait \d+ s/ }).getAttribute("aria-disabled"))
      .toBe("true");
    expect(agent.got).toEqual([]);
  });

  test("is disabled if too many tasks match, and if no agent is eligible", async () => {
    const { page } = await openAs("operator", "tasks?state=failure");
    await page.route(/tasks\?.*include_total=true/, async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, total_count: 10_001 } });
    });
    await page.route(/\/agents(\?|$)/, (route) => route.fulfill({ json: { items: [], next_cursor: null } }));
    await page.reload();
    await page.locator("[role=row][id]").first().getByRole("checkbox").check({ force: true });
    await bar(page).getByRole("button", { name: "Select all 2 matching" }).click();
    await bar(page).getByRole("button", { name: "Retry" }).click();
    const send = page.getByRole("dialog").getByRole("button", { name: "Retry 10,001 tasks" });
    await waitFor(async () => (await send.getAttribute("title"))?.startsWith("Maximum 10,000 tasks"));
    await page.getByText("waiting for an eligible agent: No agent is online").waitFor();
    await page.unroute(/tasks\?.*include_total=true/);
    await page.keyboard.press("Escape");
    await bar(page).getByRole("button", { name: "Retry" }).click();
    const again = page.getByRole("dialog").getByRole("button", { name: "Retry 2 tasks" });
    await waitFor(async () => (await again.getAttribute("title")) === "No agent is online");
  });
});

describe("the page", () => {
  test("is paused and resumed, and shows a refusal", async () => {
    const result = held<CommandOutcome>();
    agent.answer = () => result.promise;
    const id = await create(failing);
    const { page, faults } = await openAs("operator", `bulk-retries/${id}`);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Tasks already sent continue").waitFor();
    const path = `/projects/${brain.project.slug}/bulk-retry-requests/${id}`;
    expect((await brain.as.operator.get(path)).body.control_state).toBe("paused");
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("in progress").waitFor();

    await page.route("**/pause", (route) => route.abort());
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("alert").getByText("Couldn't pause the bulk retry. Can't reach the server.").waitFor();
    await page.unroute("**/pause");
    await page.getByRole("alert").getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);

    // It ends while the page still shows it paused.
    await page.route(`**/bulk-retry-requests/${id}`, (route) => route.abort());
    result.fulfil({ status: "success" });
    await waitFor(async () => (await brain.as.operator.get(path)).body.status === "succeeded");
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("alert").getByText("Couldn't resume the bulk retry.").waitFor();
    await page.unroute(`**/bulk-retry-requests/${id}`);
    await page.getByText("re-queued.").waitFor();
    expect(await page.getByRole("button", { name: "Resume" }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("shows why one is blocked, and continues with the rest once resumed", async () => {
    agent.answer = () => ({ status: "failed", error: "the job is locked by its worker" });
    const id = await create({ ...failing, canary_size: 1 });
    const { page } = await openAs("operator", `bulk-retries/${id}`, "phone");
    await page.getByText(/^It stopped: .*failed again.* 1 task not sent[.]/).waitFor();
    await page.getByText("blocked", { exact: true }).waitFor();
    await children(page).locator("small", { hasText: "the job is locked by its worker" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    agent.answer = () => ({ status: "success" });
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("1 task retried, 1 not retried. The list below shows why.").waitFor();
    await page.getByText("partial", { exact: true }).waitFor();
  });

  test("lists the tasks by outcome, with links to task, command and agent", async () => {
    agent.answer = (command) => {
      const { task_ids: ids } = command.parameters.filter as { task_ids: string[] };
      return ids[0] === "bad-1"
        ? { status: "failed", error: "the job is locked by its worker" }
        : { status: "success", result: { results: [{ task_id: ids[0], status: "success", new_task_id: "again-1" }] } };
    };
    const id = await create(failing);
    const { page } = await openAs("operator", `bulk-retries/${id}`);
    await page.getByText("partial", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Not retried 1" }).click();
    await page.waitForURL(/outcome=failed/);
    await children(page).getByText("End of list (1)").waitFor();
    const row = children(page).getByRole("row", { name: /^not retried/ });
    expect(await row.textContent()).toContain("the job is locked by its worker");
    const hrefs = await row.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    const { body } = await brain.as.operator.get(
      `/projects/${brain.project.slug}/bulk-retry-requests/${id}/children?outcome=failed`,
    );
    const commandId = body.items[0].command_id;
    expect(hrefs).toEqual([at("tasks/bullmq/bad-1"), at(`commands/${commandId}`), at(`agents/${agent.agentId}`)]);
    await page.getByRole("link", { name: "Retried 1", exact: true }).click();
    expect(await children(page).getByRole("link", { name: "again-1" }).getAttribute("href")).toBe(
      at("tasks/bullmq/again-1"),
    );
    await page.getByRole("link", { name: "Unknown 0" }).click();
    await children(page).getByText("No unknown outcomes.").waitFor();
    await page.getByRole("link", { name: "Tasks that match now" }).click();
    await page.waitForURL(/tasks[?]state=failure/);
  });

  test("shows that nothing matched", async () => {
    const id = await create({ filter: { queue: "none" } });
    const { page } = await openAs("operator", `bulk-retries/${id}`);
    await page.getByText("No task matched, so nothing was sent").waitFor();
    await children(page).getByText("No tasks matched.").waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test("shows that every retry was refused", async () => {
    agent.answer = () => ({ status: "failed", error: "no" });
    const id = await create(failing);
    const { page } = await openAs("operator", `bulk-retries/${id}`);
    await page.getByText("No task was retried.").waitFor();
  });

  test("shows why one is stalled, and that one passed its deadline", async () => {
    const id = await create({ filter: { state: "failure" } });
    const hour = new Date(Date.now() - 3_600_000);
    const change = (changes: object) =>
      brain.running.brain.database.write((tx) =>
        tx.updateTable("bulk_retry_requests").set(changes).where("id", "=", id).execute(),
      );
    // As if its engine had had no agent for an hour.
    const ranges = JSON.stringify([{ engine: "celery", next: 0, end: 2 }]);
    const unsent = { pending_count: 2, claimed_count: 0, succeeded_count: 0, finished_at: null };
    await waitFor(() => agent.got.length === 2);
    const path = `/projects/${brain.project.slug}/bulk-retry-requests/${id}`;
    await waitFor(async () => (await brain.as.operator.get(path)).body.status === "succeeded");
    await change({ ...unsent, ranges, created_at: hour, last_progress_at: null });
    const { page } = await openAs("operator", `bulk-retries/${id}`);
    await page.getByText(/No progress for 1 h.* No online agent serves celery[.]/).waitFor();
    await change({ deadline_at: hour });
    await page.reload();
    await page.getByText(/^It stopped: the deadline passed with 2 tasks unsent.* 2 tasks not sent[.]/).waitFor();
    await change({ ...unsent, pending_count: 0, unknown_count: 2, finished_at: new Date() });
    await page.reload();
    await page.getByText("Outcome unknown for 2 retries").waitFor();
  });

  test("is hidden from viewers, and not found under another id", async () => {
    const id = await create({ filter: { queue: "none" } });
    const viewer = await openAs("viewer", `bulk-retries/${id}`);
    await viewer.page.getByText("Only operators and admins can see bulk retries.").waitFor();
    await viewer.page.context().close();
    const { page } = await openAs("operator", "bulk-retries/01a20657-8a47-7ea9-8d8f-27e420a73852");
    await page.getByText("Not found.").waitFor();
  });

  test("is linked from the command list and from each of its commands", async () => {
    const result = held<CommandOutcome>();
    agent.answer = () => result.promise;
    const id = await create(failing);
    const { page, faults } = await openAs("admin", "commands");
    // One row for all of its commands.
    const row = page.getByRole("row").filter({ has: page.locator(`a[href="${at(`bulk-retries/${id}`)}"]`) });
    await row.filter({ hasText: /in progress.*0 of 2 tasks done/ }).waitFor();
    expect(await page.getByRole("link", { name: "Retry tasks" }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    result.fulfil({ status: "success" });
    await row.filter({ hasText: /succeeded.*2 tasks/ }).waitFor();
    expect(await page.getByRole("link", { name: "Retry tasks" }).count()).toBe(0);
    // A filter lists the commands themselves.
    await page.getByLabel("Action").selectOption("bulk_retry");
    await page.getByRole("link", { name: "Retry tasks" }).nth(1).waitFor();
    const { body } = await brain.as.operator.get(`/projects/${brain.project.slug}/bulk-retry-requests/${id}/children`);
    await page.goto(at(`commands/${body.items[0].command_id}`));
    await fact(page, "Part of").getByRole("link", { name: "a bulk retry" }).click();
    await page.waitForURL(`**/bulk-retries/${id}`);
    const rail = page.getByRole("navigation", { name: "Project" });
    await rail.locator("[aria-current=page]", { hasText: "Commands" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("keeps the commands in the list when bulk retries can't be loaded", async () => {
    const { page } = await openScreen(brain, { cookie: brain.as.admin.cookie });
    const first = await brain.as.operator.post(`/projects/${brain.project.slug}/commands/cancel-task`, {
      engine: "bullmq",
      task_id: "wait-1",
    });
    await page.route("**/bulk-retry-requests?limit=50*", (route) => route.abort());
    await page.goto(at("commands"));
    await page.getByText("Couldn't load bulk retries").waitFor();
    await page.locator(`a[href="${at(`commands/${first.body.id}`)}"]`).waitFor();
    await page.unroute("**/bulk-retry-requests?limit=50*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "Bulk retry" }).first().waitFor();
  });

  test("is not listed for a viewer, who may list its commands", async () => {
    const { page } = await openAs("viewer", "commands");
    await page.getByText("Bulk retries are not included.").waitFor();
    expect(await page.getByRole("link", { name: /Bulk retry|Retry tasks/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Show their commands" }).click();
    await page.getByRole("link", { name: "Retry tasks" }).first().waitFor();
  });

  test("is reached from the audit trail", async () => {
    const id = await create({ filter: { queue: "none" } });
    const { page } = await openAs("admin", `audit?action=bulk_retry_request`);
    await page.getByRole("button", { name: "bulk_retry_request.created" }).first().click();
    await page.getByRole("dialog").getByRole("link", { name: "bulk_retry_request" }).click();
    await page.waitForURL(`**/bulk-retries/${id}`);
    await page.getByRole("link", { name: "Audit rows" }).click();
    await page.waitForURL(/audit[?]action=bulk_retry_request/);
  });
});
