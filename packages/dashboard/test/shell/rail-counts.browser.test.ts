import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  actions,
  type CommandAgent,
  type CommandOutcome,
  connectCommandAgent,
  held,
} from "../traffic/command-agent.ts";
import { report } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain, [...actions, "retry_by_reference_v1", "list_dead_letters"]);
});
afterAll(() => brain?.stop());

async function open(path: string) {
  const screen = await openScreen(brain, { cookie: brain.as.viewer.cookie });
  await screen.page.goto(`/p/${brain.project.slug}/${path}`);
  await screen.page.getByRole("button", { name: /^Connection: live/ }).waitFor();
  return screen;
}
const inRail = (page: Page, name: RegExp) =>
  page.getByRole("navigation", { name: "Project" }).getByRole("link", { name });

test("the rail counts commands open, at first and as they end", async () => {
  const first = held<CommandOutcome>();
  const second = held<CommandOutcome>();
  const answers = [first, second];
  agent.answer = () => answers.shift()?.promise ?? { status: "success" };
  const at = `/projects/${brain.project.slug}/commands/cancel-task`;
  await brain.as.operator.post(at, { engine: "bullmq", task_id: "wait-1" });
  const { page, faults } = await open("queues");
  await inRail(page, /^Commands ?, 1 open$/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await brain.as.operator.post(at, { engine: "bullmq", task_id: "run-1" });
  await inRail(page, /^Commands ?, 2 open$/).waitFor();
  first.fulfil({ status: "success" });
  second.fulfil({ status: "failed", error: "it has ended already" });
  await inRail(page, /^Commands$/).waitFor();
  expect(faults).toEqual([]);
});

test("the counts come with the figures of the page, not by a timer", async () => {
  const answer = held<CommandOutcome>();
  agent.answer = () => answer.promise;
  const { page } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
  await brain.as.operator.post(`/projects/${brain.project.slug}/commands/cancel-task`, {
    engine: "bullmq",
    task_id: "wait-2",
  });
  // No timer of the page fires.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await page.goto(`/p/${brain.project.slug}/queues`);
  await inRail(page, /^Commands ?, 1 open$/).waitFor();
  answer.fulfil({ status: "success" });
});

test("the rail counts issues that are new", async () => {
  report(agent, [
    { kind: "task.sent", taskId: "new-1", ago: 3, data: { task_name: "mail.send" } },
    { kind: "task.failed", taskId: "new-1", ago: 1, data: { exception: "SmtpError: mailbox is full" } },
  ]);
  await expect
    .poll(async () => (await brain.as.viewer.get(`/projects/${brain.project.slug}/issues`)).body.items.length)
    .toBe(2);
  const { page } = await open("queues");
  await inRail(page, /^Issues ?, 2 new in 24 h$/).waitFor();
});

test("the rail counts dead letters once they were loaded, and requests none from an agent", async () => {
  agent.got.length = 0;
  agent.answer = () => ({
    status: "success",
    result: { entries: [], next_cursor: null, total: 1204, engine: "bullmq" },
  });
  const { page } = await open("dead-letters");
  // The counts have loaded: an unknown count is not shown.
  await inRail(page, /^Issues ?, 2 new in 24 h$/).waitFor();
  await inRail(page, /^Dead letters$/).waitFor();
  expect(agent.got).toEqual([]);
  await page.getByRole("button", { name: "Load dead letters" }).click();
  await inRail(page, /^Dead letters ?, 1204 when last loaded$/).waitFor();
});
