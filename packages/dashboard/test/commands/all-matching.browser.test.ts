import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { held } from "../traffic/command-agent.ts";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

// A list longer than one page, in which every filter includes some tasks and excludes others.
const tasks = 330;
const began = Date.now();
const names = ["billing.charge", "billing.refund", "emails.send", "media.render"];
const queues = ["emails", "billing", "acme-mail"];
const priorities = ["critical", "high", "normal", "low", "normal"];
const kinds = [
  "task.revoked",
  "task.succeeded",
  "task.failed",
  "task.failed",
  "task.failed",
  "task.failed",
  "task.failed",
];
const instantAt = (agoSeconds: number) => encodeURIComponent(new Date(began - agoSeconds * 1000).toISOString());

const taskEvent = (index: number): ReportedEvent => ({
  kind: kinds[index % kinds.length] ?? "task.failed",
  taskId: `${index % 11 === 0 ? "Acme" : "task"}-${index}`,
  ago: 60 + index * 10,
  data: {
    args: [{ customer: 42 + (index % 2) }],
    task_name: names[index % 4],
    queue: queues[index % 3],
    priority: priorities[index % 5],
    worker: `worker-${index % 2}`,
    exception: "PaymentError: upstream 503",
  },
});

const tokens = ["bulk_retry", "cancel_task", "retry_by_reference_v1"];
const celery = createScriptedAdapter("celery", tokens);
let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
  const engines = [createScriptedAdapter("bullmq", tokens), celery];
  for (const engine of engines) engine.answerCommands(async () => ({ status: "success" }));
  await brain.connectAgent({ engines, heartbeatSeconds: 1 });
  const all = Array.from({ length: tasks }, (_, index) => index);
  engines.forEach((adapter, at) => {
    report({ adapter }, all.filter((index) => (index % 5 === 1 ? 1 : 0) === at).map(taskEvent));
  });
  await waitFor(async () => {
    const { body } = await brain.as.root.get(`/projects/${brain.project.slug}/tasks?include_total=true&limit=1`);
    return body.total_count === tasks;
  });
});
afterAll(() => brain?.stop());

async function openList(search: string, role: TestRole = "operator") {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await goTo(screen.page, search);
  return screen;
}
async function goTo(page: Page, search: string): Promise<void> {
  await page.goto(`/p/${brain.project.slug}/tasks?${search}`);
  await page.locator("[role=row][id]").first().waitFor();
}
const bar = (page: Page) => page.getByRole("region", { name: "Selected tasks" });
const selectFirst = (page: Page) => page.locator("[role=row][id]").first().getByRole("checkbox").check({ force: true });

/** The ids of all rows of the list, over all of its pages. */
async function idsOnScreen(page: Page): Promise<string[]> {
  const grid = page.getByRole("grid");
  await waitFor(async () => {
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    return (await page.getByText("End of list").count()) > 0;
  });
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check({ force: true });
  await bar(page).getByRole("button", { name: "Copy ids" }).click();
  const text = await waitFor(() => page.evaluate(() => navigator.clipboard.readText()));
  return text.split("\n").toSorted();
}

/** The task ids of the bulk retry whose page is open. */
async function sealedIds(page: Page): Promise<string[]> {
  await page.waitForURL(/[/]bulk-retries[/]/);
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const path = `/projects/${brain.project.slug}/bulk-retry-requests/${id}`;
  await waitFor(async () => (await brain.as.operator.get(path)).body.sealed_at !== null);
  const rows = await brain.running.brain.database.read
    .selectFrom("bulk_retry_children")
    .select("task_id")
    .where("parent_id", "=", id)
    .execute();
  return rows.map(({ task_id }) => task_id).toSorted();
}

// Together they use every filter that the list and a bulk retry share. At most ten: the limit per address and minute.
const searches = {
  "a state": "state=failure",
  "another state and priorities": "state=revoked&priority=critical,normal",
  "queue and name": "state=failure&queue=billing&name=billing.",
  "text and time": `state=failure&search=aCmE&since=${instantAt(2900)}&until=${instantAt(700)}`,
  "engine and state of a search": "q=state%3Afailure%20engine%3Acelery",
  "a worker": "state=failure&worker=worker-1&queue=emails",
  "what an error or an argument holds": "q=state%3Afailure%20error%3Aupstream%20-queue%3Aemails%20args.customer%3A42",
  everything: `state=failure&queue=emails&name=end&priority=critical,high,normal&search=task&since=${instantAt(3000)}&q=engine%3Abullmq`,
};

test("all matching tasks are exactly those on screen, for every filter", async () => {
  const { page, faults } = await openList("");
  for (const [what, search] of Object.entries(searches)) {
    await goTo(page, search);
    const shown = await idsOnScreen(page);
    expect(shown.length, what).toBeGreaterThan(2);
    expect(shown.length, what).toBeLessThan(tasks);
    // With every task selected there is no offer to select more.
    await page.getByRole("grid").evaluate((element) => element.scrollTo(0, 0));
    await page.locator('[role=row][aria-rowindex="2"]').getByRole("checkbox").uncheck({ force: true });
    await bar(page)
      .getByRole("button", { name: `Select all ${shown.length} matching` })
      .click();
    await bar(page).getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: `Retry ${shown.length} tasks` });
    await dialog.getByRole("button", { name: `Retry ${shown.length} tasks` }).click();
    expect(await sealedIds(page), what).toEqual(shown);
  }
  expect(faults).toEqual([]);
});

describe("a filter that a bulk retry can't use", () => {
  test("disables the offer with the reason", async () => {
    const { page } = await openList("");
    for (const [search, reason] of [
      ["queue=billing", "To retry all matching tasks, choose a state first, such as failure"],
    ] as const) {
      await goTo(page, search);
      await selectFirst(page);
      const offer = bar(page).getByRole("button", { name: /^Select all/ });
      await bar(page).getByText(reason).and(page.locator(":visible")).waitFor();
      await expect.poll(() => offer.getAttribute("aria-disabled")).toBe("true");
      await offer.click({ force: true });
      await bar(page).getByText("1 selected").waitFor();
    }
    expect(await axeFaults(page)).toEqual([]);
  });

  test("keeps the offer for an admin's deletion, and disables the retry with the reason", async () => {
    const { page } = await openList("worker=worker-1", "admin");
    await selectFirst(page);
    await bar(page)
      .getByRole("button", { name: /^Select all \d+ matching/ })
      .click();
    const retry = bar(page).getByRole("button", { name: "Retry" });
    await expect.poll(() => retry.getAttribute("title")).toContain("choose a state first");
    await bar(page).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: /^Delete \d+ tasks/ }).waitFor();
  });
});

test("all results of a search by engine can be retried by an admin, but not deleted", async () => {
  const { page } = await openList("state=failure&q=engine%3Acelery", "admin");
  await selectFirst(page);
  await bar(page)
    .getByRole("button", { name: /^Select all \d+ matching/ })
    .click();
  const remove = bar(page).getByRole("button", { name: "Delete" });
  await expect
    .poll(() => remove.getAttribute("title"))
    .toBe("Select tasks one by one: search results can't be deleted all at once");
  const cancel = bar(page).getByRole("button", { name: "Cancel" });
  await expect
    .poll(() => cancel.getAttribute("title"))
    .toBe("Select individual tasks: all matches can't be cancelled at once");
  await expect.poll(() => bar(page).getByRole("button", { name: "Retry" }).getAttribute("aria-disabled")).toBe("false");
  await bar(page).getByRole("button", { name: "Only the 1 selected" }).click();
  await bar(page).getByText("1 selected").waitFor();
});

test.each(["viewer", "auditor"] as const)("a %s is not offered to select all matching tasks", async (role) => {
  const { page } = await openList("state=failure", role);
  await selectFirst(page);
  await bar(page).getByText("1 selected").waitFor();
  expect(
    await bar(page)
      .getByRole("button", { name: /^Select all/ })
      .count(),
  ).toBe(0);
});

test("the retry of all matching tasks stays one even if no more match than are selected", async () => {
  const path = `/projects/${brain.project.slug}/tasks`;
  const copies = ["copy-1", "copy-2", "copy-3"];
  report(
    { adapter: celery },
    copies.map((taskId, at) => ({ kind: "task.failed", taskId, ago: 30 + at, data: { task_name: "audit.copy" } })),
  );
  const last = await waitFor(async () => (await brain.as.admin.get(`${path}/celery/copy-3`)).body.id);
  const { page } = await openList("state=failure&name=audit.copy&q=engine%3Acelery");
  const boxes = page.locator("[role=row][id]").getByRole("checkbox");
  await expect.poll(() => boxes.count()).toBe(3);
  for (const at of [0, 1]) await boxes.nth(at).check({ force: true });
  await bar(page).getByRole("button", { name: "Select all 3 matching" }).click();
  const counting = held<void>();
  const change = held<void>();
  await page.route(/[/]tasks[?].*include_total=true/, async (route) => {
    counting.fulfil();
    await change.promise;
    await route.continue();
  });
  await bar(page).getByRole("button", { name: "Retry" }).click();
  await page.getByRole("dialog", { name: "Retry 3 tasks" }).getByLabel("Max per minute").fill("7");
  await counting.promise;
  expect((await brain.as.admin.post(`${path}/bulk-delete`, { task_ids: [last] })).status).toBe(200);
  change.fulfil();
  const dialog = page.getByRole("dialog", { name: "Retry 2 tasks" });
  await dialog.waitFor();
  expect(await dialog.getByLabel("Max per minute").inputValue()).toBe("7");
});
