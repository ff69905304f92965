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

const connection = (page: Page, mode: string) =>
  page.getByRole("button", { name: new RegExp(`^Connection: ${mode}`) }).waitFor();
const at = (path: string) => `/p/${brain.project.slug}/${path}`;
async function openAs(role: TestRole, path: string) {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(at(path));
  return screen;
}
const cancelTask = async (taskId: string) => {
  const path = `/projects/${brain.project.slug}/commands/cancel-task`;
  const { body, status } = await brain.as.operator.post(path, { engine: "bullmq", task_id: taskId });
  expect(status).toBe(202);
  return body.id as string;
};

describe("the list of commands", () => {
  test("shows a command once it is issued, and its outcome, without a reload", async () => {
    const { page, faults } = await openAs("operator", "commands");
    await page.getByRole("heading", { level: 1, name: "Commands" }).waitFor();
    await connection(page, "live");
    const result = held<CommandOutcome>();
    agent.answer = () => result.promise;
    await cancelTask("wait-1");
    const row = page.getByRole("row", { name: /Cancel task/ }).first();
    await row.getByText("dispatched").waitFor();
    await row.getByText("wait-1").waitFor();
    expect(await row.textContent()).toContain("you");
    result.fulfil({ status: "failed", error: "the job has already ended" });
    await row.getByText("failed").waitFor();
    await row.getByText("the job has already ended").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("is filtered by status in the URL; an invalid status is dropped", async () => {
    await cancelTask("wait-1");
    const { page } = await openAs("operator", "commands");
    await page.getByRole("link", { name: "Cancel task" }).first().waitFor();
    await page.getByLabel("Status").selectOption("cancelled");
    await page.waitForURL("**/commands?status=cancelled");
    await page.getByText("No matching commands").waitFor();
    await page.getByRole("button", { name: "Clear all filters" }).click();
    await page.getByRole("link", { name: "Cancel task" }).first().waitFor();
    await page.goto(at("commands?status=nonsense"));
    await page.getByRole("link", { name: "Cancel task" }).first().waitFor();
    expect(await page.getByLabel("Status").inputValue()).toBe("");
  });

  test("shows a viewer that the issuer is hidden", async () => {
    await cancelTask("wait-1");
    const { page } = await openAs("viewer", "commands");
    await page
      .getByRole("row", { name: /Cancel task/ })
      .first()
      .getByText("hidden for your role")
      .waitFor();
  });
});

describe("the page of a command", () => {
  test("follows it to its result", async () => {
    const result = held<CommandOutcome>();
    agent.answer = () => result.promise;
    const id = await cancelTask("run-1");
    const { page, faults } = await openAs("operator", `commands/${id}`);
    await page.getByText("Sent to the agent. No result yet.").waitFor();
    await connection(page, "live");
    result.fulfil({ status: "success", result: { cancelled: true } });
    await page.getByText("Completed by the agent.").waitFor();
    await page.getByRole("region", { name: "Result" }).getByText("cancelled").first().waitFor();
    expect(await page.getByRole("link", { name: "run-1" }).getAttribute("href")).toBe(at("tasks/bullmq/run-1"));
    expect(faults).toEqual([]);
  });

  test("hides payload, issuer and result from a viewer, and says so", async () => {
    const id = await cancelTask("run-1");
    await waitFor(() => agent.got.length === 1);
    const { page } = await openAs("viewer", `commands/${id}`);
    const about = page.getByRole("region", { name: "Details" });
    await about.getByText("hidden for your role").first().waitFor();
    expect(await about.getByText("hidden for your role").count()).toBe(2);
    await page.getByRole("region", { name: "Payload and result" }).getByText("hidden for your role").waitFor();
  });

  test("is listed with its task, for a viewer without the requester", async () => {
    await cancelTask("run-1");
    await waitFor(() => agent.got.length === 1);
    const { page } = await openAs("viewer", "tasks/bullmq/run-1");
    const story = page.getByRole("region", { name: "What happened" });
    const step = story.getByRole("listitem").filter({ hasText: "Cancelled, " });
    await step.first().getByText("(requester hidden for your role)").waitFor();
    await page.goto("about:blank");
    await page.context().close();
    const operator = await openAs("operator", "tasks/bullmq/run-1");
    const own = operator.page.getByRole("region", { name: "What happened" });
    await own.getByRole("link", { name: "Cancelled by you" }).first().waitFor();
    expect(await own.textContent()).not.toContain("hidden");
  });

  test("shows that the outcome is unknown if no result arrived in time", async () => {
    const id = await cancelTask("wait-1");
    await waitFor(async () => {
      const { body } = await brain.as.operator.get(`/projects/${brain.project.slug}/commands/${id}`);
      return body.status === "completed";
    });
    await brain.running.brain.database.write((tx) =>
      tx.updateTable("commands").set({ status: "timeout", completed_at: null }).where("id", "=", id).execute(),
    );
    const { page } = await openAs("operator", `commands/${id}`);
    await page.getByText("Outcome unknown: no result arrived in time.").waitFor();
    await page.getByText("outcome unknown").first().waitFor();
  });
});
