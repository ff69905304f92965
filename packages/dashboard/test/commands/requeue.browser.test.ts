import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  actions,
  type CommandAgent,
  type CommandOutcome,
  connectCommandAgent,
  held,
} from "../traffic/command-agent.ts";
import { deadLetter, deadLetterRow, deadLettersPage, loadDeadLetters, selectAll } from "../traffic/dead-letters.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
const tokens = [...actions, "retry_by_reference_v1", "list_dead_letters"];
beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain, tokens);
});
afterAll(() => brain?.stop());

const page1 = deadLettersPage([deadLetter("dead-1"), deadLetter("dead-2")], "more", 3);
const page2 = deadLettersPage([deadLetter("dead-3")], null, 3);
beforeEach(() => {
  agent.got.length = 0;
  answer({});
});
/** Sets the agent's answers to the next page and to requeues. */
function answer({ more = page2, requeue = { status: "success" } }: Partial<Record<"more" | "requeue", Answer>>): void {
  agent.answer = ({ action, parameters }) =>
    action === "requeue_dead_letter" ? requeue : parameters.cursor === "more" ? more : page1;
}
type Answer = CommandOutcome | Promise<CommandOutcome>;

async function openDeadLetters(from: TestBrain = brain): Promise<Page> {
  const { page } = await openScreen(from, { cookie: from.as.operator.cookie });
  await page.goto(`/p/${from.project.slug}/dead-letters`);
  await loadDeadLetters(page);
  return page;
}
const checkbox = (page: Page, id: string) => page.getByRole("checkbox", { name: `Select ${id}` });

/** Selects a dead letter and requeues it. */
async function requeue(page: Page, id: string): Promise<void> {
  await checkbox(page, id).check();
  await page.getByRole("button", { name: "Requeue 1 dead letter" }).click();
  const dialog = page.getByRole("dialog", { name: "Requeue 1 dead letter" });
  await dialog.getByRole("button", { name: "Requeue 1 dead letter" }).click();
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

describe("dead letters", () => {
  test("are requeued, one command each", async () => {
    const page = await openDeadLetters();
    await selectAll(page).check();
    await page.getByRole("button", { name: "Requeue 2 dead letters" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 2 dead letters" });
    await dialog.getByRole("button", { name: "Requeue 2 dead letters" }).click();
    await dialog.getByText("2 of 2 requested.").waitFor();
    await waitFor(() => agent.got.length === 3);
    expect(agent.got.slice(1).map(({ action, parameters }) => [action, parameters.task_id])).toEqual([
      ["requeue_dead_letter", "dead-1"],
      ["requeue_dead_letter", "dead-2"],
    ]);
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    // They stay in the list, which is not reloaded, but are marked and can't be selected.
    for (const id of ["dead-1", "dead-2"])
      await deadLetterRow(page, id).getByRole("link", { name: "requeued" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Load more" }).click();
    await deadLetterRow(page, "dead-3").waitFor();
    expect(await deadLetterRow(page, "dead-1").getByRole("link", { name: "requeued" }).count()).toBe(1);
    await selectAll(page).check();
    await page.getByRole("button", { name: "Requeue 1 dead letter" }).waitFor();
  });

  test("that the agent fails to requeue are marked and can be selected again", async () => {
    const page = await openDeadLetters();
    await deadLetterRow(page, "dead-2").waitFor();
    answer({ requeue: { status: "failed", error: "the job is not there any more" } });
    await requeue(page, "dead-2");
    const mark = deadLetterRow(page, "dead-2").getByRole("link", { name: "not requeued" });
    await mark.waitFor();
    await expect.poll(() => mark.getAttribute("title")).toBe("the job is not there any more");
    await checkbox(page, "dead-2").check();
    await page.getByRole("button", { name: "Requeue 1 dead letter" }).waitFor();
  });

  test("with an unknown requeue outcome are marked and can't be selected again", async () => {
    const page = await openDeadLetters();
    await deadLetterRow(page, "dead-2").waitFor();
    const error = "Redis: no answer within 5 s";
    answer({ requeue: { status: "failed", error, outcome: "unknown" } });
    await requeue(page, "dead-2");
    const mark = deadLetterRow(page, "dead-2").getByRole("link", { name: "requeue outcome unknown" });
    await mark.waitFor();
    expect(await checkbox(page, "dead-2").isDisabled()).toBe(true);
    await selectAll(page).check();
    await page.getByRole("button", { name: "Requeue 1 dead letter" }).waitFor();
    expect(await checkbox(page, "dead-2").isChecked()).toBe(false);
    expect(await axeFaults(page)).toEqual([]);
    await mark.click();
    await page.getByRole("region", { name: "Details" }).waitFor();
    await page.getByText(`Outcome unknown: ${error}`).first().waitFor();
  });

  test("requeued while more are loading stay marked", async () => {
    const page = await openDeadLetters();
    const more = held<CommandOutcome>();
    answer({ more: more.promise });
    await page.getByRole("button", { name: "Load more" }).click();
    await waitFor(() => agent.got.length === 2);
    await requeue(page, "dead-1");
    const mark = deadLetterRow(page, "dead-1").getByRole("link", { name: "requeued" });
    await mark.waitFor();
    more.fulfil(page2);
    await deadLetterRow(page, "dead-3").waitFor();
    expect(await mark.count()).toBe(1);
    await selectAll(page).check();
    await page.getByRole("button", { name: "Requeue 2 dead letters" }).waitFor();
    expect(await checkbox(page, "dead-1").isChecked()).toBe(false);
  });

  test("requeued during a reload stay marked, but not those requeued earlier", async () => {
    const page = await openDeadLetters();
    await requeue(page, "dead-1");
    await deadLetterRow(page, "dead-1").getByRole("link", { name: "requeued" }).waitFor();
    const reload = held<CommandOutcome>();
    agent.answer = ({ action }) => (action === "dlq.list" ? reload.promise : { status: "success" });
    await loadDeadLetters(page);
    await waitFor(() => agent.got.length === 3);
    await requeue(page, "dead-2");
    const mark = deadLetterRow(page, "dead-2").getByRole("link", { name: "requeued" });
    await mark.waitFor();
    reload.fulfil(deadLettersPage([deadLetter("dead-1"), deadLetter("dead-2"), deadLetter("dead-4")]));
    await deadLetterRow(page, "dead-4").waitFor();
    expect(await mark.count()).toBe(1);
    // It was reported as a dead letter again.
    expect(await deadLetterRow(page, "dead-1").getByRole("link", { name: "requeued" }).count()).toBe(0);
  });
});

describe("of several agents", () => {
  test("the one that reported the dead letters requeues them, with a warning if it is unavailable", async () => {
    await using other = await startBrainWithSite();
    const bystander = await connectCommandAgent(other);
    const lister = createScriptedAdapter("bullmq", ["list_dead_letters", "requeue_dead_letter"]);
    lister.answerCommands(async ({ action }) => (action === "dlq.list" ? page1 : { status: "success" }));
    const reporter = await other.connectAgent({ engines: [lister], bufferName: "lister" });
    const page = await openDeadLetters(other);
    await checkbox(page, "dead-1").check();
    await page.getByRole("button", { name: "Requeue 1 dead letter" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 1 dead letter" });
    await expect.poll(() => dialog.getByLabel("Agent").inputValue()).toBe(reporter.minted.agentId);
    const warning = dialog.getByText("The agent that reported it is unavailable.");
    expect(await warning.count()).toBe(0);
    const asking = page.waitForRequest("**/commands/requeue-dead-letter");
    await dialog.getByRole("button", { name: "Requeue 1 dead letter" }).click();
    expect((await asking).postDataJSON()).toMatchObject({ task_id: "dead-1", agent_id: reporter.minted.agentId });
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await reporter.agent.stop();
    await page.locator('nav a[href$="/agents"]').getByText("1 offline").first().waitFor({ state: "attached" });
    await checkbox(page, "dead-2").check();
    await page.getByRole("button", { name: "Requeue 1 dead letter" }).click();
    await warning.waitFor();
    await dialog.getByText("Sent to agent").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(bystander.got).toEqual([]);
  });

  test("one that was revoked after it reported the first page is named as the reason why no more load", async () => {
    await using other = await startBrainWithSite();
    const lister = await connectCommandAgent(other, tokens);
    lister.answer = () => page1;
    const page = await openDeadLetters(other);
    await deadLetterRow(page, "dead-2").waitFor();
    expect((await other.as.root.delete(`/projects/${other.project.slug}/agents/${lister.agentId}`)).status).toBe(204);
    await page.getByRole("button", { name: "Load more" }).click();
    await page.getByRole("alert").getByText("was revoked. Load the list again.").waitFor();
  });
});
