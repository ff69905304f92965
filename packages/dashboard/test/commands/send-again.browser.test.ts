import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
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
  agent.answer = () => ({ status: "failed", error: "redis is away" });
});

const commands = () => `/projects/${brain.project.slug}/commands`;
async function issue(path: string, body: object): Promise<string> {
  const { status, body: made } = await brain.as.operator.post(`${commands()}/${path}`, body);
  expect(status).toBe(202);
  await waitFor(async () => (await commandOf(made.id)).status === "failed");
  return made.id;
}
const commandOf = async (id: string) => (await brain.as.operator.get(`${commands()}/${id}`)).body;
async function endAs(id: string, change: object): Promise<void> {
  await brain.running.brain.database.write((tx) =>
    tx.updateTable("commands").set(change).where("id", "=", id).execute(),
  );
}
async function openAs(role: TestRole, id: string) {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(`/p/${brain.project.slug}/commands/${id}`);
  await screen.page.getByRole("region", { name: "Details" }).waitFor();
  return screen;
}
const again = (page: Page) => page.getByRole("button", { name: "Send again" });

describe("an unsuccessful command", () => {
  test("is sent again as a new command with its own key", async () => {
    const id = await issue("retry-task", { engine: "bullmq", task_id: "bad-1", idempotency_key: "mine-1" });
    const { page, faults } = await openAs("operator", id);
    agent.answer = () => ({ status: "success" });
    await again(page).click();
    const dialog = page.getByRole("dialog", { name: "Send command again" });
    await dialog.getByText("The cause may still exist").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send command again" }).click();
    await dialog.waitFor({ state: "detached" });
    await waitFor(() => agent.got.length === 2);
    expect(agent.got.map(({ action, parameters }) => [action, parameters.task_id])).toEqual([
      ["retry_task", "bad-1"],
      ["retry_task", "bad-1"],
    ]);
    const { items } = (await brain.as.operator.get(`${commands()}?limit=2`)).body;
    expect(items[0].idempotency_key).toMatch(/^dashboard-/);
    expect(items[1]).toMatchObject({ id, status: "failed", idempotency_key: "mine-1" });
    expect(faults).toEqual([]);
  });

  test("is sent again after a timeout only if repeating is harmless", async () => {
    const cancel = await issue("cancel-task", { engine: "bullmq", task_id: "wait-1" });
    const retry = await issue("retry-task", { engine: "bullmq", task_id: "bad-1" });
    for (const id of [cancel, retry]) await endAs(id, { status: "timeout", completed_at: null, error: null });
    const first = await openAs("operator", cancel);
    await again(first.page).click();
    await first.page.getByRole("dialog").getByText("It is unknown whether the original command ran").waitFor();
    await first.page.context().close();
    const second = await openAs("operator", retry);
    await second.page.getByText("Check the target before you send it again").waitFor();
    expect(await again(second.page).count()).toBe(0);
  });

  test("has an unknown outcome if its agent does not know it", async () => {
    agent.answer = () => ({ status: "failed", error: "redis hung up", outcome: "unknown" });
    const id = await issue("cancel-task", { engine: "bullmq", task_id: "wait-1" });
    const { page } = await openAs("operator", id);
    await page.getByText("Outcome unknown: redis hung up").first().waitFor();
    await again(page).click();
    await page.getByRole("dialog").getByText("It is unknown whether the original command took effect.").waitFor();
    expect(await page.getByText("The original command failed").count()).toBe(0);
  });

  test("is not sent again if its outcome is unknown, nor if it is a purge", async () => {
    const error = "outcome unknown: the agent stopped while the command was running";
    agent.answer = () => ({ status: "failed", error });
    const retry = await issue("retry-task", { engine: "bullmq", task_id: "bad-1" });
    const { page } = await openAs("operator", retry);
    await page.getByText("outcome unknown").first().waitFor();
    expect(await again(page).count()).toBe(0);
    const purged = await brain.as.admin.post(`${commands()}/purge-queue`, {
      agent_id: agent.agentId,
      engine: "bullmq",
      queue: "billing",
      force: true,
    });
    await waitFor(async () => (await commandOf(purged.body.id)).status === "failed");
    await page.goto(`/p/${brain.project.slug}/commands/${purged.body.id}`);
    await page.getByRole("heading", { level: 1, name: "Purge queue" }).waitFor();
    expect(await again(page).count()).toBe(0);
  });

  test("with redacted inputs can't be sent again", async () => {
    const id = await issue("retry-task", {
      engine: "bullmq",
      task_id: "bad-1",
      override_args: ["[REDACTED]"],
      override_kwargs: {},
    });
    const { page } = await openAs("operator", id);
    await expect.poll(() => again(page).getAttribute("title")).toContain("Start it again from its target");
  });

  test("is not sent again by a viewer", async () => {
    const id = await issue("cancel-task", { engine: "bullmq", task_id: "wait-1" });
    const { page } = await openAs("viewer", id);
    await expect.poll(() => again(page).getAttribute("title")).toBe("Needs the operator role in this project");
  });
});

test("the link to audit rows filters by the command, and the filter can be cleared", async () => {
  const id = await issue("cancel-task", { engine: "bullmq", task_id: "wait-1" });
  await issue("cancel-task", { engine: "bullmq", task_id: "wait-1" });
  const { page, faults } = await openAs("admin", id);
  await page.getByRole("link", { name: "Audit rows" }).click();
  await page.waitForURL(`**/audit?target=${id}`);
  const rows = page.getByRole("button", { name: "command.issue.cancel_task" });
  await rows.first().waitFor();
  expect(await rows.count()).toBe(1);
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("button", { name: /^target/ }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  expect(faults).toEqual([]);
});

test("the link to audit rows is hidden from users who may not read them", async () => {
  const id = await issue("cancel-task", { engine: "bullmq", task_id: "wait-1" });
  const { page } = await openAs("operator", id);
  expect(await page.getByRole("link", { name: "Audit rows" }).count()).toBe(0);
});
