import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { actions, type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
const slug = () => brain.project.slug;
beforeAll(async () => {
  brain = await startBrainWithSite();
  const tokens = actions.filter((action) => action !== "cancel_consumer");
  agent = await connectCommandAgent(brain, [...tokens, "retry_by_reference_v1"]);
});
afterAll(() => brain?.stop());
beforeEach(() => {
  agent.got.length = 0;
  agent.answer = () => ({ status: "success" });
});

async function openAs(role: TestRole, path: string, heading: string | RegExp) {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(`/p/${slug()}/${path}`);
  await screen.page.getByRole("heading", { level: 1, name: heading }).waitFor();
  return screen;
}
const acts = (page: Page) => page.getByRole("group", { name: "On this page" });
/** The actions that the palette offers for the subject of the page. */
async function offered(page: Page): Promise<string[]> {
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Dark theme" }).waitFor({ state: "attached" });
  return acts(page).getByRole("option").locator("span:first-of-type").allTextContents();
}
const workerId = async (name: string) => {
  const { body } = await brain.as.root.get(`/projects/${slug()}/workers`);
  return body.items.find((worker: { name: string }) => worker.name === name).id as string;
};

describe("the palette", () => {
  test("retries the task on screen by its form, by keys alone", async () => {
    const { page, faults } = await openAs("operator", "tasks/bullmq/bad-1", /billing[.]charge/);
    expect(await offered(page)).toEqual(["Retry this task"]);
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.type("retry");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    await dialog.getByRole("button", { name: "Retry task" }).click();
    await waitFor(() => agent.got.length === 1);
    expect(agent.got[0]?.parameters.task_id).toBe("bad-1");
    await dialog.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("offers to cancel what runs, also in the drawer", async () => {
    const { page } = await openAs("operator", "tasks?task=bullmq/run-1", "Tasks");
    await page.getByRole("dialog").getByText("emails.send").first().waitFor();
    expect(await offered(page)).toEqual(["Cancel this task"]);
    await acts(page).getByRole("option").click();
    await page.getByRole("dialog", { name: "Cancel emails.send" }).waitFor();
    expect(agent.got).toEqual([]);
  });

  test("controls a worker as far as its agent can", async () => {
    const { page } = await openAs("operator", `workers/${await workerId("billing-1")}`, "billing-1");
    expect(await offered(page)).toEqual(["Restart", "Resize pool", "Add consumer", "Limit rate"]);
    await acts(page).getByRole("option", { name: "Restart" }).click();
    await page.getByRole("dialog", { name: "Restart billing-1" }).getByRole("button", { name: "Restart" }).click();
    await waitFor(() => agent.got.length === 1);
    expect([agent.got[0]?.action, agent.got[0]?.parameters.worker_name]).toEqual(["restart_worker", "billing-1"]);
  });

  test("purges a queue for an admin alone", async () => {
    const operator = await openAs("operator", "queues/bullmq/billing", "billing");
    expect(await offered(operator.page)).toEqual([]);
    await operator.page.context().close();
    const { page } = await openAs("admin", "queues/bullmq/billing", "billing");
    expect(await offered(page)).toEqual(["Purge this queue"]);
    await acts(page).getByRole("option").click();
    await page.getByRole("dialog", { name: /^Purge/ }).waitFor();
    expect(agent.got).toEqual([]);
  });

  test("retries the failed tasks of an issue, and sends a command again", async () => {
    const { body } = await brain.as.root.get(`/projects/${slug()}/issues`);
    const { page } = await openAs("operator", `issues/${body.items[0].fingerprint}`, "PaymentError");
    expect(await offered(page)).toEqual(["Retry failed tasks of this issue"]);
    await acts(page).getByRole("option").click();
    await page.getByRole("dialog", { name: "Retry 2 tasks" }).waitFor();
    agent.answer = () => ({ status: "failed", error: "redis is away" });
    const at = `/projects/${slug()}/commands`;
    const { body: made } = await brain.as.operator.post(`${at}/cancel-task`, { engine: "bullmq", task_id: "wait-1" });
    await waitFor(async () => (await brain.as.operator.get(`${at}/${made.id}`)).body.status === "failed");
    await page.goto(`/p/${slug()}/commands/${made.id}`);
    await page.getByText("redis is away").first().waitFor();
    expect(await offered(page)).toEqual(["Send this command again"]);
    await acts(page).getByRole("option").click();
    await page.getByRole("dialog", { name: "Send command again" }).waitFor();
  });

  test("offers a viewer nothing to do with it", async () => {
    const { page } = await openAs("viewer", "tasks/bullmq/bad-1", /billing[.]charge/);
    expect(await offered(page)).toEqual([]);
  });
});
