import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { actions, type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
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
const got = () => agent.got.map(({ action, parameters }) => ({ action, ...parameters }));

describe("a queue", () => {
  test("is purged only after its name is typed, guarded by the depth shown", async () => {
    const { page, faults } = await openAs("admin", "queues/bullmq/billing");
    await page.getByRole("button", { name: "Purge" }).click();
    const dialog = page.getByRole("dialog", { name: "Purge billing" });
    const purge = dialog.getByRole("button", { name: "Purge 194 tasks" });
    await expect.poll(() => purge.getAttribute("aria-disabled")).toBe("true");
    await purge.click({ force: true });
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByLabel("Type billing to confirm").fill("Billing");
    await expect.poll(() => purge.getAttribute("aria-disabled")).toBe("true");
    await dialog.getByLabel("Type billing to confirm").fill("billing");
    const body = page.waitForRequest("**/commands/purge-queue").then((request) => request.postDataJSON());
    await purge.click();
    expect(await body).toMatchObject({
      agent_id: agent.agentId,
      engine: "bullmq",
      queue: "billing",
      observed_depth: 194,
    });
    await tray(page).getByText("completed").waitFor();
    expect(got()).toMatchObject([{ action: "purge_queue", queue: "billing", force: false }]);
    expect(agent.got[0]?.parameters.confirm_token).toMatch(/^\S+$/);
    expect(faults).toEqual([]);
  });

  test("is purged without the depth check only after a second confirmation", async () => {
    const { page } = await openAs("admin", "queues/bullmq/emails");
    await page.getByRole("button", { name: "Purge" }).click();
    await page.getByLabel("Type emails to confirm").fill("emails");
    await page.getByRole("button", { name: "Purge anyway" }).click();
    const dialog = page.getByRole("dialog", { name: "Purge emails without depth check" });
    const purge = dialog.getByRole("button", { name: "Purge queue", exact: true });
    await expect.poll(() => purge.getAttribute("aria-disabled")).toBe("true");
    await dialog.getByLabel("Type emails to confirm").fill("emails");
    await purge.click();
    await tray(page).getByText("completed").waitFor();
    expect(got()).toMatchObject([{ action: "purge_queue", queue: "emails", force: true, confirm_token: null }]);
  });

  test.each(["viewer", "operator"] as const)("can't be purged by the role %s, and says why", async (role) => {
    const { page } = await openAs(role, "queues/bullmq/billing");
    const button = page.getByRole("button", { name: "Purge" });
    await expect.poll(() => button.getAttribute("title")).toBe("Needs the admin role in this project");
    await button.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("can't be rate-limited if the engine limits workers, and says so", async () => {
    const { page } = await openAs("operator", "queues/bullmq/billing");
    await page.getByText("bullmq limits rates per worker. See its workers' pages.").waitFor();
    expect(await page.getByRole("button", { name: "Limit rate" }).count()).toBe(0);
  });
});

describe("a worker", () => {
  const openWorker = async (role: TestRole) => {
    const { body } = await brain.as.root.get(`/projects/${brain.project.slug}/workers`);
    const worker = body.items.find(({ name }: { name: string }) => name === "billing-1");
    return openAs(role, `workers/${worker.id}`);
  };

  test("is restarted, resized, given and taken a queue, and rate-limited, each after a confirmation", async () => {
    const { page, faults } = await openWorker("operator");
    const control = page.getByRole("region", { name: "Control" });
    const worker = { engine: "bullmq", worker_name: "billing-1" };

    await control.getByRole("button", { name: "Restart" }).click();
    await page.getByRole("dialog", { name: "Restart billing-1" }).getByRole("button", { name: "Restart" }).click();
    await waitFor(() => agent.got.length === 1);

    await control.getByRole("button", { name: "Resize pool" }).click();
    const pool = page.getByRole("dialog", { name: "Resize pool of billing-1" });
    const change = pool.getByLabel("Change in pool size");
    await change.fill("0");
    await pool.getByRole("button", { name: "Resize pool" }).click();
    await pool.getByText("Enter a whole number from -100 to 100, not 0").waitFor();
    await pool.getByRole("button", { name: "Decrease by one" }).click();
    await pool.getByText("Currently 4, then 3.").waitFor();
    await change.press("ArrowDown");
    await pool.getByText("Currently 4, then 2.").waitFor();
    expect(await change.inputValue()).toBe("-2");
    expect(await axeFaults(page)).toEqual([]);
    await pool.getByRole("button", { name: "Resize pool" }).click();
    await waitFor(() => agent.got.length === 2);

    await control.getByRole("button", { name: "Add consumer" }).click();
    const add = page.getByRole("dialog", { name: "Add consumer to billing-1" });
    await add.getByRole("button", { name: "Add consumer" }).click();
    await add.getByText("Enter a queue").waitFor();
    await add.getByLabel("Queue").fill("emails");
    await add.getByRole("button", { name: "Add consumer" }).click();
    await waitFor(() => agent.got.length === 3);

    await control.getByRole("button", { name: "Cancel consumer" }).click();
    const take = page.getByRole("dialog", { name: "Cancel consumer of billing-1" });
    expect(await take.getByLabel("Queue").inputValue()).toBe("billing");
    await take.getByRole("button", { name: "Cancel consumer" }).click();
    await waitFor(() => agent.got.length === 4);

    await control.getByRole("button", { name: "Limit rate" }).click();
    const rate = page.getByRole("dialog", { name: "Limit rate on billing-1" });
    await rate.getByLabel("Task name").fill("billing.charge");
    await rate.getByLabel("Rate").fill("ten");
    await rate.getByRole("button", { name: "Limit rate" }).click();
    await rate.getByText("Enter a rate such as 10/m, or 0 to remove the limit").waitFor();
    await rate.getByLabel("Rate").fill("10/m");
    await rate.getByRole("button", { name: "Limit rate" }).click();
    await waitFor(() => agent.got.length === 5);

    expect(got()).toMatchObject([
      { action: "restart_worker", ...worker },
      { action: "pool_shrink", ...worker, delta: 2 },
      { action: "add_consumer", ...worker, queue: "emails" },
      { action: "cancel_consumer", ...worker, queue: "billing" },
      { action: "rate_limit", engine: "bullmq", worker_name: "billing-1", task_name: "billing.charge", rate: "10/m" },
    ]);
    await waitFor(async () => (await tray(page).getByText("completed").count()) === 5);
    expect(faults).toEqual([]);
  });

  test("shows a viewer why it can't be controlled", async () => {
    const { page } = await openWorker("viewer");
    const buttons = page.getByRole("region", { name: "Control" }).getByRole("button");
    await expect.poll(() => buttons.count()).toBe(5);
    for (const button of await buttons.all()) {
      await expect.poll(() => button.getAttribute("title")).toBe("Needs the operator role in this project");
    }
  });
});

describe("selected tasks", () => {
  const select = (page: Page, row: RegExp) => page.getByRole("row", { name: row }).getByRole("checkbox").check();

  test("are retried in one command per engine, without unfinished ones", async () => {
    const { page, faults } = await openAs("operator", "tasks");
    await page
      .getByRole("row", { name: /billing.charge failure/ })
      .first()
      .waitFor();
    await page.getByRole("checkbox", { name: /all/i }).first().check();
    const bar = page.getByRole("region", { name: "Selected tasks" });
    await bar.getByText("4 selected").waitFor();
    await bar.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry 2 tasks" });
    await dialog.getByText("2 of bullmq, by agent").waitFor();
    await dialog.getByText("2 excluded: not finished yet").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Retry 2 tasks" }).click();
    await tray(page).getByText("Retry 2 tasks of bullmq").waitFor();
    await tray(page).getByText("completed").waitFor();
    expect(agent.got).toHaveLength(1);
    const filter = agent.got[0]?.parameters.filter as { engine: string; task_ids: string[] };
    expect({ ...filter, task_ids: filter.task_ids.toSorted() }).toEqual({
      engine: "bullmq",
      task_ids: ["bad-1", "bad-2"],
      task_names: null,
      task_priorities: null,
    });
    await bar.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("are cancelled one by one; after a failure, the rest continues on another click", async () => {
    const { page } = await openAs("operator", "tasks");
    await select(page, /emails.send started/);
    await select(page, /search.reindex pending/);
    await page.getByRole("region", { name: "Selected tasks" }).getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel 2 tasks" });
    let asked = 0;
    await page.route("**/commands/cancel-task", (route) => (++asked === 2 ? route.abort() : route.continue()));
    await dialog.getByRole("button", { name: "Cancel 2 tasks" }).click();
    await dialog.getByText("1 of 2 requested.").waitFor();
    await dialog.getByText("We couldn't confirm the next request.").waitFor();
    await dialog.getByRole("button", { name: "Cancel remaining 1" }).click();
    await dialog.getByText("2 of 2 requested.").waitFor();
    await waitFor(() => agent.got.length === 2);
    expect(
      got()
        .map(({ task_id }: Record<string, unknown>) => task_id)
        .toSorted(),
    ).toEqual(["run-1", "wait-1"]);
    await dialog.locator("button", { hasText: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("can't be acted on by a viewer", async () => {
    const { page } = await openAs("viewer", "tasks");
    await select(page, /search.reindex pending/);
    const bar = page.getByRole("region", { name: "Selected tasks" });
    for (const name of ["Retry", "Cancel"]) {
      const button = bar.getByRole("button", { name });
      await expect.poll(() => button.getAttribute("title")).toBe("Needs the operator role in this project");
    }
  });
});

test("actions that the engine lacks are one sentence without buttons", async () => {
  await using other = await startBrainWithSite();
  await connectCommandAgent(
    other,
    actions.filter((action) => action !== "purge_queue"),
  );
  const { page } = await openScreen(other, { cookie: other.as.admin.cookie });
  await page.goto(`/p/${other.project.slug}/queues/bullmq/billing`);
  await page.getByText("BullMQ queues can't be controlled from here.").waitFor();
  expect(await page.getByRole("button", { name: "Purge" }).count()).toBe(0);
});
