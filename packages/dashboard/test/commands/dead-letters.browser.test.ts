import type { TestBrain, TestRole } from "@svc/testkit/brain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { actions, type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
import { deadLetter, deadLetterRow, deadLettersPage, loadDeadLetters } from "../traffic/dead-letters.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";
import { unreadableHeads } from "../window/table-heads.ts";

let brain: TestBrain;
let agent: CommandAgent;
beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain, [...actions, "retry_by_reference_v1", "list_dead_letters"]);
});
afterAll(() => brain?.stop());

const page1 = deadLettersPage([deadLetter("dead-1"), deadLetter("dead-2")], "more", 3);
const unknown = { task_name: null, failed_at: null, error_excerpt: null, attempts: null };
const page2 = deadLettersPage([deadLetter("dead-3", unknown)], null, 3);
beforeEach(() => {
  agent.got.length = 0;
  agent.answer = ({ parameters }) => (parameters.cursor === "more" ? page2 : page1);
});

async function openAs(role: TestRole, search = "") {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(`/p/${brain.project.slug}/dead-letters${search}`);
  return screen;
}

describe("dead letters", () => {
  test("are loaded from an agent only on request, page by page, and stay while the tab is open", async () => {
    const { page, faults } = await openAs("operator", "?queue=billing");
    await page.getByText("Load dead letters from the agent").waitFor();
    expect(agent.got).toEqual([]);
    await loadDeadLetters(page);
    await deadLetterRow(page, "dead-1").getByText("PaymentError: upstream 503").filter({ visible: true }).waitFor();
    await page.getByText("2 of 3").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    for (const width of [1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => unreadableHeads(page)).toEqual([]);
    }
    const asking = page.waitForRequest(/\/dead-letters\?.*cursor=more/);
    await page.getByRole("button", { name: "Load more" }).click();
    // A cursor is valid only for the agent that returned it.
    expect(new URL((await asking).url()).searchParams.get("agent_id")).toBe(agent.agentId);
    await deadLetterRow(page, "dead-3").getByText("name not recorded").waitFor();
    expect(await deadLetterRow(page, "dead-3").getByText("not recorded", { exact: true }).count()).toBe(3);
    expect(agent.got.map(({ action, parameters }) => [action, parameters.queue, parameters.cursor])).toEqual([
      ["dlq.list", "billing", null],
      ["dlq.list", "billing", "more"],
    ]);
    await page.getByRole("link", { name: "Tasks" }).first().click();
    await page.getByRole("row", { name: /search.reindex/ }).waitFor();
    await page.goBack();
    await deadLetterRow(page, "dead-3").waitFor();
    expect(agent.got).toHaveLength(2);
    expect(faults).toEqual([]);
  });

  test("show their error and attempts on a phone", async () => {
    const screen = await openScreen(brain, { cookie: brain.as.operator.cookie, size: "phone" });
    const { page } = screen;
    await page.goto(`/p/${brain.project.slug}/dead-letters`);
    await loadDeadLetters(page);
    const first = deadLetterRow(page, "dead-1");
    await first.waitFor();
    expect(await first.getByText("PaymentError: upstream 503").filter({ visible: true }).count()).toBe(1);
    expect(await first.getByText(/in billing, 3 attempts/).isVisible()).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await axeFaults(page)).toEqual([]);
  });

  test("show the agent that reported them", async () => {
    const { page } = await openAs("operator");
    await loadDeadLetters(page);
    const stamp = page.getByRole("status").filter({ hasText: "by agent" });
    expect(await stamp.getByRole("link").getAttribute("href")).toBe(`/p/${brain.project.slug}/agents/${agent.agentId}`);
  });

  test("are visible to a viewer, who can't requeue them", async () => {
    const { page } = await openAs("viewer");
    await loadDeadLetters(page);
    await deadLetterRow(page, "dead-1").waitFor();
    const requeue = page.getByRole("button", { name: "Requeue dead letters" });
    await expect.poll(() => requeue.getAttribute("title")).toBe("Needs the operator role in this project");
  });

  test("of an engine that reports only their number are counted", async () => {
    agent.answer = () => deadLettersPage([], null, 1204);
    const { page } = await openAs("admin");
    await loadDeadLetters(page);
    await page.getByRole("heading", { name: "1,204 dead letters" }).waitFor();
    await page.getByText("can't list them").waitFor();
  });

  test("that the agent fails to list link to the command", async () => {
    agent.answer = () => ({ status: "failed", error: "redis is away" });
    const { page } = await openAs("admin");
    await loadDeadLetters(page);
    await page.getByRole("alert").getByText("The agent couldn't list the dead letters: redis is away").waitFor();
    await page.getByRole("link", { name: "View command" }).click();
    await page.getByText("redis is away").first().waitFor();
  });
});

test("without an agent that can list them, the page says so, with the online agents and their capabilities", async () => {
  await using other = await startBrainWithSite();
  const { page } = await openScreen(other, { cookie: other.as.admin.cookie });
  await page.goto(`/p/${other.project.slug}/dead-letters?engine=bullmq`);
  await loadDeadLetters(page);
  await page.getByText("No agent is online. Start an agent for this engine, then load again.").waitFor();
  await connectCommandAgent(other, ["cancel_task"]);
  await loadDeadLetters(page);
  await page
    .getByText("No online agent can list the dead letters of this engine. Start one that supports it.")
    .waitFor();
  await page.getByText("bullmq (cancel_task)").waitFor();
});
