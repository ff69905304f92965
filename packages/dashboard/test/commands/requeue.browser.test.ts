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
import { letter, letterRow, lettersPage, loadLetters, tickAll } from "../traffic/letters.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
const tokens = [...actions, "retry_by_reference_v1", "list_dead_letters"];
beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain, tokens);
});
afterAll(() => brain?.stop());

const page1 = lettersPage([letter("dead-1"), letter("dead-2")], "more", 3);
const page2 = lettersPage([letter("dead-3")], null, 3);
beforeEach(() => {
  agent.got.length = 0;
  answer({});
});
/** How the agent answers the requests for the next page and for requeues. */
function answer({ more = page2, requeue = { status: "success" } }: Partial<Record<"more" | "requeue", Answer>>): void {
  agent.answer = ({ action, parameters }) =>
    action === "requeue_dead_letter" ? requeue : parameters.cursor === "more" ? more : page1;
}
type Answer = CommandOutcome | Promise<CommandOutcome>;

async function openLetters(from: TestBrain = brain): Promise<Page> {
  const { page } = await openScreen(from, { cookie: from.as.operator.cookie });
  await page.goto(`/p/${from.project.slug}/dead-letters`);
  await loadLetters(page);
  return page;
}
const tick = (page: Page, id: string) => page.getByRole("checkbox", { name: `Tick ${id}` });

/** Ticks a letter and asks for its requeue. */
async function requeue(page: Page, id: string): Promise<void> {
  await tick(page, id).check();
  await page.getByRole("button", { name: "Requeue 1" }).click();
  const dialog = page.getByRole("dialog", { name: "Requeue 1 dead letter" });
  await dialog.getByRole("button", { name: "Requeue 1 dead letter" }).click();
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

describe("dead letters", () => {
  test("are requeued, one command each", async () => {
    const page = await openLetters();
    await tickAll(page).check();
    await page.getByRole("button", { name: "Requeue 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 2 dead letters" });
    await dialog.getByRole("button", { name: "Requeue 2 dead letters" }).click();
    await dialog.getByText("2 of 2 asked for.").waitFor();
    await waitFor(() => agent.got.length === 3);
    expect(agent.got.slice(1).map(({ action, parameters }) => [action, parameters.task_id])).toEqual([
      ["requeue_dead_letter", "dead-1"],
      ["requeue_dead_letter", "dead-2"],
    ]);
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    // They stay in the list, which is not read again, but are marked and left out of the next ticks.
    for (const id of ["dead-1", "dead-2"]) await letterRow(page, id).getByRole("link", { name: "requeued" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Ask for more" }).click();
    await letterRow(page, "dead-3").waitFor();
    expect(await letterRow(page, "dead-1").getByRole("link", { name: "requeued" }).count()).toBe(1);
    await tickAll(page).check();
    await page.getByRole("button", { name: "Requeue 1" }).waitFor();
  });

  test("that the agent does not put back are marked so, and can be ticked again", async () => {
    const page = await openLetters();
    await letterRow(page, "dead-2").waitFor();
    answer({ requeue: { status: "failed", error: "the job is not there any more" } });
    await requeue(page, "dead-2");
    const mark = letterRow(page, "dead-2").getByRole("link", { name: "not requeued" });
    await mark.waitFor();
    await expect.poll(() => mark.getAttribute("title")).toBe("the job is not there any more");
    await tick(page, "dead-2").check();
    await page.getByRole("button", { name: "Requeue 1" }).waitFor();
  });

  test("of which nobody knows whether they were put back are marked so, and not ticked again", async () => {
    const page = await openLetters();
    await letterRow(page, "dead-2").waitFor();
    const error = "Redis: no answer within 5 s";
    answer({ requeue: { status: "failed", error, outcome: "unknown" } });
    await requeue(page, "dead-2");
    const mark = letterRow(page, "dead-2").getByRole("link", { name: "requeued or not: nobody knows" });
    await mark.waitFor();
    expect(await tick(page, "dead-2").isDisabled()).toBe(true);
    await tickAll(page).check();
    await page.getByRole("button", { name: "Requeue 1" }).waitFor();
    expect(await tick(page, "dead-2").isChecked()).toBe(false);
    expect(await axeFaults(page)).toEqual([]);
    await mark.click();
    await page.getByRole("region", { name: "About it" }).waitFor();
    await page.getByText(`Nobody knows whether it took effect: ${error}`).first().waitFor();
  });

  test("that are put back while more are asked for stay marked when those come", async () => {
    const page = await openLetters();
    const more = held<CommandOutcome>();
    answer({ more: more.promise });
    await page.getByRole("button", { name: "Ask for more" }).click();
    await waitFor(() => agent.got.length === 2);
    await requeue(page, "dead-1");
    const mark = letterRow(page, "dead-1").getByRole("link", { name: "requeued" });
    await mark.waitFor();
    more.fulfil(page2);
    await letterRow(page, "dead-3").waitFor();
    expect(await mark.count()).toBe(1);
    await tickAll(page).check();
    await page.getByRole("button", { name: "Requeue 2" }).waitFor();
    expect(await tick(page, "dead-1").isChecked()).toBe(false);
  });

  test("that are put back while they are read anew stay marked too, but not those that were before", async () => {
    const page = await openLetters();
    await requeue(page, "dead-1");
    await letterRow(page, "dead-1").getByRole("link", { name: "requeued" }).waitFor();
    const anew = held<CommandOutcome>();
    agent.answer = ({ action }) => (action === "dlq.list" ? anew.promise : { status: "success" });
    await loadLetters(page);
    await waitFor(() => agent.got.length === 3);
    await requeue(page, "dead-2");
    const mark = letterRow(page, "dead-2").getByRole("link", { name: "requeued" });
    await mark.waitFor();
    anew.fulfil(lettersPage([letter("dead-1"), letter("dead-2"), letter("dead-4")]));
    await letterRow(page, "dead-4").waitFor();
    expect(await mark.count()).toBe(1);
    // It is dead again.
    expect(await letterRow(page, "dead-1").getByRole("link", { name: "requeued" }).count()).toBe(0);
  });
});

describe("of several agents", () => {
  test("the one that told the letters puts them back, and it is said when that one cannot be asked", async () => {
    await using other = await startBrainWithSite();
    const noLetters = await connectCommandAgent(other);
    const lister = createScriptedAdapter("bullmq", ["list_dead_letters", "requeue_dead_letter"]);
    lister.answerCommands(async ({ action }) => (action === "dlq.list" ? page1 : { status: "success" }));
    const told = await other.connectAgent({ engines: [lister], bufferName: "lister" });
    const page = await openLetters(other);
    await tick(page, "dead-1").check();
    await page.getByRole("button", { name: "Requeue 1" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 1 dead letter" });
    await expect.poll(() => dialog.getByLabel("Agent").inputValue()).toBe(told.minted.agentId);
    const gone = dialog.getByText("The agent that reported it is not available now.");
    expect(await gone.count()).toBe(0);
    const asking = page.waitForRequest("**/commands/requeue-dead-letter");
    await dialog.getByRole("button", { name: "Requeue 1 dead letter" }).click();
    expect((await asking).postDataJSON()).toMatchObject({ task_id: "dead-1", agent_id: told.minted.agentId });
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await told.agent.stop();
    await page.locator('nav a[href$="/agents"]').getByText("1 offline").first().waitFor({ state: "attached" });
    await tick(page, "dead-2").check();
    await page.getByRole("button", { name: "Requeue 1" }).click();
    await gone.waitFor();
    await dialog.getByText("It goes to the agent").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(noLetters.got).toEqual([]);
  });

  test("one that was revoked since it told the first page is named as the reason why no more come", async () => {
    await using other = await startBrainWithSite();
    const lister = await connectCommandAgent(other, tokens);
    lister.answer = () => page1;
    const page = await openLetters(other);
    await letterRow(page, "dead-2").waitFor();
    expect((await other.as.root.delete(`/projects/${other.project.slug}/agents/${lister.agentId}`)).status).toBe(204);
    await page.getByRole("button", { name: "Ask for more" }).click();
    await page.getByRole("alert").getByText("it was revoked. Load the list again.").waitFor();
  });
});
