import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportAndWait } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

const engine = createScriptedAdapter("bullmq", ["bulk_retry", "retry_by_reference_v1"]);
const retried: string[] = [];
let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
  engine.answerCommands(async ({ parameters }) => {
    retried.push(...(parameters as { filter: { task_ids: string[] } }).filter.task_ids);
    return { status: "success" };
  });
  await brain.connectAgent({ engines: [engine], heartbeatSeconds: 1 });
  const tasks = Array.from({ length: 120 }, (_, index) => ({
    kind: "task.failed",
    taskId: `order-${index}`,
    // The oldest ones failed more than an hour ago.
    ago: 30 + index * 40,
    data: {
      task_name: "orders.bill",
      queue: index % 3 === 0 ? "mail" : "orders",
      args: [{ customer: 42 + (index % 2) }],
    },
  }));
  await reportAndWait(brain, { adapter: engine }, tasks.toReversed());
});
afterAll(() => brain?.stop());

/** Counts the steps of a user on a page. */
function createUser(page: Page) {
  let steps = 0;
  return {
    steps: () => steps,
    async press(what: Locator) {
      steps += 1;
      await what.click();
    },
    async check(what: Locator) {
      steps += 1;
      await what.check({ force: true });
    },
    async type(into: Locator, text: string) {
      steps += 1;
      await into.fill(text);
      await page.keyboard.press("Enter");
    },
  };
}

test("the failures of a queue in the last hour with an argument value are retried in at most five steps", async () => {
  const { page, faults } = await openScreen(brain, { cookie: brain.as.operator.cookie });
  await page.goto(`/p/${brain.project.slug}/tasks`);
  await page.locator("[role=row][id]").first().waitFor();
  const user = createUser(page);
  const chosen = page.getByRole("region", { name: "Selected tasks" });

  await user.type(page.getByRole("combobox"), "state:failure queue:orders since:1h args.customer:42");
  await page.locator("[role=row][id]").first().waitFor();
  await user.check(page.locator("[role=row][id]").first().getByRole("checkbox"));
  await user.press(chosen.getByRole("button", { name: /^Select all \d+ matching$/ }));
  await user.press(chosen.getByRole("button", { name: "Retry" }));
  const dialog = page.getByRole("dialog", { name: /^Retry \d+ tasks$/ });
  await user.press(dialog.getByRole("button", { name: /^Retry \d+ tasks$/ }));
  expect(user.steps()).toBeLessThanOrEqual(5);

  await page.waitForURL(/[/]bulk-retries[/]/);
  await page.getByRole("status").getByText("re-queued.").waitFor();
  const expected = Array.from({ length: 120 }, (_, index) => index)
    .filter((index) => index % 3 !== 0 && index % 2 === 0 && 30 + index * 40 < 3600)
    .map((index) => `order-${index}`);
  await waitFor(() => retried.length === expected.length);
  expect(retried.toSorted()).toEqual(expected.toSorted());
  expect(faults).toEqual([]);
});

test("an incomplete search shows its progress and can be cancelled", async () => {
  const { database } = brain.running.brain;
  const id = randomUUID();
  const atMs = Date.now();
  // Its last step is in the future, so that no process continues it.
  const last_progress_at = new Date(atMs + 3_600_000);
  const filter = { state: "failure", q: "args.customer:42" };
  const effective = { action: "bulk_retry", filter, max: 5000, target: {}, version: 2 };
  await database.write(async (tx) => {
    const none = {
      child_count: 0,
      pending_count: 0,
      claimed_count: 0,
      succeeded_count: 0,
      failed_count: 0,
      unknown_count: 0,
    };
    const unset = { plan_digest: null, sealed_at: null, finished_at: null, blocked_reason: null, next_claim_at: null };
    const plain = {
      canary_size: null,
      canary_max_failures: 0,
      canary_failures: 0,
      rate_per_minute: null,
      max_in_flight: 8,
    };
    const of = { project_id: brain.project.id, issued_by: null, source_ip: null, target_agent_id: null };
    const place = {
      found_count: 1234,
      reached_at: new Date(atMs - 7_200_000),
      reached_id: randomUUID(),
      last_progress_at,
    };
    const times = { created_at: new Date(atMs), deadline_at: new Date(atMs + 900_000) };
    await tx
      .insertInto("bulk_retry_requests")
      .values({
        id,
        idempotency_key: id,
        canonical_digest: "",
        control_state: "sealing",
        ranges: "[]",
        ...none,
        ...unset,
        ...plain,
        ...of,
        ...place,
        ...times,
      })
      .execute();
    await tx
      .insertInto("bulk_retry_effective_requests")
      .values({ request_id: id, effective_request: JSON.stringify(effective) })
      .execute();
  });
  const { page } = await openScreen(brain, { cookie: brain.as.operator.cookie });
  await page.goto(`/p/${brain.project.slug}/bulk-retries/${id}`);
  await page.getByText("Searching for matching tasks.").waitFor();
  await page.getByText("1,234").waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Cancel bulk retry" }).click();
  await page.getByText("Cancelled before the search was complete. Nothing was sent.").waitFor();
  expect(await page.getByRole("button", { name: "Cancel bulk retry" }).count()).toBe(0);
});

test("a search that finds too much is refused with the reason", async () => {
  const path = `/projects/${brain.project.slug}/bulk-retry-requests`;
  const body = { idempotency_key: "much", filter: { q: "args.customer:42" }, max: 5 };
  const { body: made } = await brain.as.operator.post(path, body);
  const { page } = await openScreen(brain, { cookie: brain.as.operator.cookie });
  await page.goto(`/p/${brain.project.slug}/bulk-retries/${made.id}`);
  await page.getByText("Nothing was sent: more than 5 tasks match. Narrow the filters and start again.").waitFor();
});
