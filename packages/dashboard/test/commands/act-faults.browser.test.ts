import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import { createRawPoller } from "@svc/testkit/raw-agent";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { arrange } from "../site/page-faults.ts";
import { actions, type CommandOutcome, connectCommandAgent, held } from "../traffic/command-agent.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

const every = [...actions, "retry_by_reference_v1", "list_dead_letters"];
const deadLetters = {
  entries: [
    {
      task_id: "dead-1",
      task_name: "billing.charge",
      queue: "billing",
      failed_at: "2026-04-01T10:00:00.000Z",
      error_excerpt: "PaymentError: upstream 503",
      attempts: 3,
    },
  ],
  next_cursor: null,
  total: 1,
  engine: "bullmq",
};

async function openAs(brain: TestBrain, role: TestRole, path: string) {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(`/p/${brain.project.slug}/${path}`);
  return screen;
}
const load = (page: Page) => page.getByRole("button", { name: "Load dead letters" });
const alert = (page: Page) => page.getByRole("main").getByRole("alert").first();

describe("dead letters", () => {
  test("of a silent agent show that they load, then the timeout with a link to the command", async () => {
    await using brain = await startBrainWithSite({
      env: { SVC_COMMAND_TIMEOUT_SECONDS: "3", SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS: "1" },
    });
    const agent = await connectCommandAgent(brain, every);
    const silence = held<CommandOutcome>();
    agent.answer = () => silence.promise;
    const { page, faults } = await openAs(brain, "viewer", "dead-letters?engine=bullmq");
    await load(page).click();
    const asking = page.getByRole("button", { name: "Loading…" });
    await asking.waitFor();
    await expect.poll(() => asking.getAttribute("aria-disabled")).toBe("true");
    await page.getByText("The agent didn't answer within 3 s. Try again, or check the agent's log.").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "View command" }).click();
    await page.getByRole("heading", { level: 1, name: "List dead letters" }).waitFor();
    silence.fulfil({ status: "success", result: deadLetters });
    expect(faults).toEqual([]);
  });

  test("loaded too often show a countdown and keep the list", async () => {
    await using brain = await startBrainWithSite();
    const agent = await connectCommandAgent(brain, every);
    agent.answer = () => ({ status: "success", result: deadLetters });
    const { page } = await openAs(brain, "viewer", "dead-letters?engine=bullmq");
    await load(page).click();
    await page.getByText("dead-1").waitFor();
    for (let asked = 1; asked < 10; asked += 1) {
      const { status } = await brain.as.viewer.get(`/projects/${brain.project.slug}/dead-letters?engine=bullmq`);
      expect(status).toBe(200);
    }
    await load(page).click();
    const wait = page.getByRole("button", { name: /^Wait \d+ s$/ });
    await wait.waitFor();
    await expect.poll(() => wait.getAttribute("aria-disabled")).toBe("true");
    await alert(page).waitFor();
    await page.getByText("dead-1").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(agent.got).toHaveLength(10);
  });

  test("that no agent can list show every online agent with its capabilities", async () => {
    await using brain = await startBrainWithSite();
    await connectCommandAgent(brain, ["cancel_task"]);
    const celery = createScriptedAdapter("celery", ["retry_task", "list_dead_letters"]);
    await brain.connectAgent({ engines: [celery], bufferName: "celery" });
    const { page } = await openAs(brain, "viewer", "dead-letters?engine=bullmq");
    await page.getByRole("option", { name: "celery" }).waitFor({ state: "attached" });
    await load(page).click();
    await alert(page).getByText("bullmq (cancel_task)").waitFor();
    await alert(page).getByText("celery (retry_task, list_dead_letters)").waitFor();
    expect(await alert(page).getByRole("listitem").count()).toBe(2);
  });

  test("are requeued by the chosen agent, even one that only polls", async () => {
    await using brain = await startBrainWithSite();
    const agent = await connectCommandAgent(brain, every);
    agent.answer = () => ({ status: "success", result: deadLetters });
    const polling = await brain.connectAgent({ transport: "longpoll", bufferName: "polling" });
    const { page } = await openAs(brain, "operator", "dead-letters?engine=bullmq");
    await load(page).click();
    await page.getByRole("checkbox", { name: "Select dead-1" }).check();
    await page.getByRole("button", { name: "Requeue 1 dead letter" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 1 dead letter" });
    const choice = dialog.getByLabel("Agent");
    await dialog.getByRole("option", { name: /capabilities unknown/ }).waitFor({ state: "attached" });
    expect(await choice.locator("option").count()).toBe(3);
    await choice.selectOption(polling.minted.agentId);
    const sent = page.waitForRequest("**/commands/requeue-dead-letter").then((request) => request.postDataJSON());
    await dialog.getByRole("button", { name: "Requeue 1 dead letter" }).click();
    expect(await sent).toMatchObject({ agent_id: polling.minted.agentId, engine: "bullmq", task_id: "dead-1" });
  });
});

describe("commands", () => {
  test("that are overdue come first with the cause, after a skeleton while loading", async () => {
    await using brain = await startBrainWithSite({ env: { SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: "3600" } });
    const at = `/projects/${brain.project.slug}/commands`;
    const cancel = async (taskId: string, agentId: string) =>
      (await brain.as.operator.post(`${at}/cancel-task`, { engine: "bullmq", task_id: taskId, agent_id: agentId })).body
        .id as string;
    // Online a moment ago, but fetches no commands.
    const silent = await brain.mintAgent("silent");
    const poller = createRawPoller({ url: brain.url, ...silent, projectId: brain.project.id });
    expect((await poller.upload([poller.sign("heartbeat", {})])).status).toBe(200);
    await waitFor(async () => {
      const { body } = await brain.as.operator.get(`/projects/${brain.project.slug}/agents`);
      return body.items[0].state === "online";
    });
    const old = await cancel("wait-1", silent.agentId);
    await brain.running.brain.database.write((tx) =>
      tx
        .updateTable("commands")
        .set({ issued_at: new Date(Date.now() - 300_000) })
        .where("id", "=", old)
        .execute(),
    );
    const agent = await connectCommandAgent(brain, every);
    await cancel("run-1", agent.agentId);
    await waitFor(() => agent.got.length === 1);
    const { page, faults } = await openScreen(brain, { cookie: brain.as.operator.cookie });
    const release = await arrange(page, "loading");
    await page.goto(`/p/${brain.project.slug}/commands`);
    await page.getByRole("status", { name: "Loading commands" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await release();
    const first = page.locator("tbody tr").first();
    await first.getByText("its agent is online but has not fetched it").waitFor();
    expect(await first.textContent()).toContain("wait-1");
    expect(await axeFaults(page)).toEqual([]);
    await first.getByRole("link", { name: "Cancel task" }).click();
    await page.getByText(/Waiting for over a minute: its agent is online/).waitFor();
    expect(faults).toEqual([]);
  });
});

describe("workers", () => {
  test("are controlled by the chosen one of several agents", async () => {
    await using brain = await startBrainWithSite();
    const agent = await connectCommandAgent(brain, every);
    const second = createScriptedAdapter("bullmq", ["restart_worker"]);
    const got: string[] = [];
    second.answerCommands(async ({ action }) => {
      got.push(action);
      return { status: "success" };
    });
    const other = await brain.connectAgent({ engines: [second], bufferName: "second" });
    const { page } = await openAs(brain, "operator", "workers");
    await page.getByRole("link", { name: "billing-1", exact: true }).click();
    await page.getByRole("button", { name: "Restart" }).click();
    const dialog = page.getByRole("dialog", { name: "Restart billing-1" });
    await dialog.getByLabel("Agent").selectOption(other.minted.agentId);
    await dialog.getByRole("button", { name: "Restart" }).click();
    await waitFor(() => got.length === 1);
    expect([got, agent.got]).toEqual([["restart_worker"], []]);
    // Only one agent can resize pools, so there is no choice.
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Resize pool" }).click();
    const resize = page.getByRole("dialog", { name: "Resize pool of billing-1" });
    await resize.getByText("Sent to agent").waitFor();
    expect(await resize.getByLabel("Agent").count()).toBe(0);
  });

  test("are controlled by an agent that only polls if there is no other, and the dialog says so", async () => {
    await using brain = await startBrainWithSite();
    const agent = await connectCommandAgent(brain, []);
    await brain.connectAgent({ transport: "longpoll", bufferName: "polling" });
    const { page } = await openAs(brain, "operator", "workers");
    await page.getByRole("link", { name: "billing-1", exact: true }).click();
    await page.getByRole("button", { name: "Restart" }).click();
    const dialog = page.getByRole("dialog", { name: "Restart billing-1" });
    await dialog.getByText("capabilities unknown").waitFor();
    expect(agent.got).toEqual([]);
  });
});

test("a request to a chosen agent that went offline goes to no other until the user chooses again", async () => {
  await using brain = await startBrainWithSite();
  const tokens = [...every, "rate_limit_by_queue"];
  const agent = await connectCommandAgent(brain, tokens);
  agent.answer = () => ({ status: "failed", error: "not now" });
  const at = `/projects/${brain.project.slug}`;
  const worker = { agent_id: agent.agentId, engine: "bullmq", worker_name: "billing-1" };
  const failed = await brain.as.operator.post(`${at}/commands/restart-worker`, worker);
  await waitFor(async () => {
    const { body } = await brain.as.operator.get(`${at}/commands/${failed.body.id}`);
    return body.status === "failed";
  });
  const workers = (await brain.as.root.get(`${at}/workers`)).body.items;
  const { id: workerId } = workers.find(({ name }: { name: string }) => name === "billing-1");
  const second = createScriptedAdapter("bullmq", tokens);
  second.answerCommands(async () => ({ status: "success" }));
  const other = await brain.connectAgent({ engines: [second], bufferName: "second" });

  const cases = [
    { path: "queues/bullmq/billing", act: "Purge", button: "Purge 194 tasks", field: "Type billing to confirm" },
    { path: "queues/bullmq/billing", act: "Limit rate", button: "Limit rate", field: "Rate" },
    { path: `workers/${workerId}`, act: "Restart", button: "Restart", field: null },
    { path: `commands/${failed.body.id}`, act: "Send again", button: "Send command again", field: null },
  ];
  const screens = [];
  for (const { path, act, button, field } of cases) {
    const { page } = await openAs(brain, "admin", path);
    await page.getByRole("main").getByRole("button", { name: act, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Agent").selectOption(other.minted.agentId);
    if (field !== null) await dialog.getByLabel(field).fill(act === "Purge" ? "billing" : "10/m");
    const go = dialog.getByRole("button", { name: button });
    await expect.poll(() => go.getAttribute("aria-disabled")).toBe("false");
    const sent: unknown[] = [];
    await page.route("**/commands/*", (route) => {
      if (route.request().method() === "POST") sent.push(route.request().postDataJSON().agent_id);
      return route.continue();
    });
    screens.push({ page, dialog, go, sent });
  }
  agent.got.length = 0;
  await other.agent.stop();
  for (const { page, dialog, go, sent } of screens) {
    await expect.poll(() => go.getAttribute("title")).toContain("The chosen agent is offline");
    await go.click({ force: true });
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByLabel("Agent").selectOption(agent.agentId);
    await expect.poll(() => go.getAttribute("aria-disabled")).toBe("false");
    await go.click();
    await dialog.waitFor({ state: "detached" });
    expect(sent).toEqual([agent.agentId]);
    await page.context().close();
  }
  await waitFor(() => agent.got.length === cases.length);
  expect(agent.got.map(({ action }) => action)).toEqual([
    "purge_queue",
    "rate_limit",
    "restart_worker",
    "restart_worker",
  ]);
});

test("in an archived project every action is disabled with the reason", async () => {
  await using brain = await startBrainWithSite();
  await connectCommandAgent(brain, every);
  const at = `/projects/${brain.project.slug}`;
  const [{ fingerprint }] = (await brain.as.root.get(`${at}/issues`)).body.items;
  const workers = (await brain.as.root.get(`${at}/workers`)).body.items;
  expect((await brain.as.root.delete(at)).status).toBeLessThan(300);
  const { page } = await openScreen(brain, { cookie: brain.as.root.cookie });
  const held = async (path: string, name: RegExp) => {
    await page.goto(`/p/${brain.project.slug}/${path}`);
    const button = page.getByRole("main").getByRole("button", { name }).first();
    await expect.poll(() => button.getAttribute("title")).toBe("The project is archived");
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    await button.click({ force: true });
  };
  await held("dead-letters?engine=bullmq", /^Load/);
  await held("tasks/bullmq/bad-1", /^Retry$/);
  await held("tasks/bullmq/wait-1", /^Cancel$/);
  await held("queues/bullmq/billing", /^Purge/);
  await held(`workers/${workers[0].id}`, /^Restart/);
  await held(`issues/${fingerprint}`, /^Retry/);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect((await brain.as.root.get(`${at}/commands`)).body.items).toEqual([]);
});
