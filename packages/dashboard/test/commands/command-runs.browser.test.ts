import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { actions, type CommandAgent, connectCommandAgent, held } from "../traffic/command-agent.ts";
import { deadLetter, deadLetterRow, deadLettersPage, loadDeadLetters, selectAll } from "../traffic/dead-letters.ts";
import { report, reportAndWait } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
const running = Array.from({ length: 6 }, (_, at) => `mail-${at}`);
beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain, [...actions, "retry_by_reference_v1", "list_dead_letters"]);
  report(
    agent,
    running.flatMap((taskId) => [
      { kind: "task.sent", taskId, ago: 20, data: { task_name: "mail.bulk", queue: "emails" } },
      { kind: "task.started", taskId, ago: 10, data: { worker: "mailer-1" } },
    ]),
  );
  await waitFor(async () => {
    const { body } = await brain.as.root.get(`/projects/${brain.project.slug}/tasks?name=mail.bulk&state=started`);
    return body.items.length === running.length;
  });
});
afterAll(() => brain?.stop());

let deadLetters: ReturnType<typeof deadLetter>[];
beforeEach(() => {
  agent.got.length = 0;
  deadLetters = ["dead-1", "dead-2", "dead-3"].map((id) => deadLetter(id));
  agent.answer = ({ action }) => (action === "dlq.list" ? deadLettersPage(deadLetters) : { status: "success" });
});

async function open(path: string, from: TestBrain = brain) {
  const screen = await openScreen(from, { cookie: from.as.operator.cookie });
  await screen.page.goto(`/p/${from.project.slug}/${path}`);
  return screen;
}
const tray = (page: Page) => page.getByRole("region", { name: /^Commands/ });
const bar = (page: Page) => page.getByRole("region", { name: "Selected tasks" });
const requested = () =>
  agent.got.filter(({ action }) => action !== "dlq.list").map(({ parameters }) => parameters.task_id);
const refusal = (route: Route, status: number, error: string) =>
  route.fulfill({ status, json: { error, message: error, details: {}, request_id: "request-of-the-test" } });

/** The `place`th request to this URL waits until released. `inFlight` resolves once it was sent. */
async function holdBack(page: Page, url: string, place: number) {
  const inFlight = held<void>();
  const gate = held<void>();
  let seen = 0;
  await page.route(url, async (route) => {
    if (++seen === place) {
      inFlight.fulfil();
      await gate.promise;
    }
    await route.continue();
  });
  return { inFlight: inFlight.promise, release: () => gate.fulfil() };
}

describe("a run of requeues", () => {
  const openDeadLetters = async () => {
    const screen = await open("dead-letters");
    await loadDeadLetters(screen.page);
    await selectAll(screen.page).check();
    return screen;
  };

  test("whose dialog closes ends after the current request; the rest stays selected", async () => {
    const { page, faults } = await openDeadLetters();
    await page.getByRole("button", { name: "Requeue 3 dead letters" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 3 dead letters" });
    const second = await holdBack(page, "**/commands/requeue-dead-letter", 2);
    await dialog.getByRole("button", { name: "Requeue 3 dead letters" }).click();
    await second.inFlight;
    await dialog.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    second.release();
    await deadLetterRow(page, "dead-2").getByRole("link", { name: "requeued" }).waitFor();
    // Neither is selected or can be selected.
    for (const id of ["dead-1", "dead-2"]) {
      const tick = page.getByRole("checkbox", { name: `Select ${id}` });
      expect([await tick.isChecked(), await tick.isDisabled()]).toEqual([false, true]);
    }
    expect(requested()).toEqual(["dead-1", "dead-2"]);
    await page.getByRole("button", { name: "Requeue 1 dead letter" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Requeue 1 dead letter" }).click();
    await waitFor(() => requested().length === 3);
    expect(requested()).toEqual(["dead-1", "dead-2", "dead-3"]);
    expect(faults).toEqual([]);
  });

  test("that is refused midway continues with the rest", async () => {
    const { page } = await openDeadLetters();
    let seen = 0;
    await page.route("**/commands/requeue-dead-letter", (route) =>
      ++seen === 3 ? refusal(route, 403, "forbidden") : route.continue(),
    );
    await page.getByRole("button", { name: "Requeue 3 dead letters" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 3 dead letters" });
    await dialog.getByRole("button", { name: "Requeue 3 dead letters" }).click();
    await dialog.getByText("The rest was not requested. Your role doesn't allow this.").waitFor();
    await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Requeue 1 dead letter" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Requeue 1 dead letter" }).click();
    await waitFor(() => requested().length === 3);
    expect(requested()).toEqual(["dead-1", "dead-2", "dead-3"]);
  });

  test("that was refused at once can be sent to another agent", async () => {
    const second = createScriptedAdapter("bullmq", ["requeue_dead_letter"]);
    second.answerCommands(async () => ({ status: "success" }));
    const other = await brain.connectAgent({ engines: [second], bufferName: "second" });
    const { page } = await openDeadLetters();
    await page.getByRole("button", { name: "Requeue 3 dead letters" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 3 dead letters" });
    const go = dialog.getByRole("button", { name: "Requeue 3 dead letters" });
    const choice = dialog.getByLabel("Agent");
    await choice.selectOption(other.minted.agentId);
    let seen = 0;
    await page.route("**/commands/requeue-dead-letter", (route) =>
      ++seen === 1 ? refusal(route, 403, "forbidden") : route.continue(),
    );
    await go.click();
    await dialog.getByText("Nothing was requested. Your role doesn't allow this.").waitFor();
    await choice.selectOption(agent.agentId);
    await go.click();
    await dialog.getByText("3 of 3 requested.").waitFor();
    await waitFor(() => requested().length === 3);
    await other.agent.stop();
  });

  test("of many dead letters is one entry in the tray, which links to the list", async () => {
    deadLetters = Array.from({ length: 6 }, (_, at) => deadLetter(`old-${at}`));
    const { page } = await openDeadLetters();
    await page.getByRole("button", { name: "Requeue 6 dead letters" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue 6 dead letters" });
    await dialog.getByRole("button", { name: "Requeue 6 dead letters" }).click();
    await dialog.getByText("6 of 6 requested.").waitFor();
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    expect(await tray(page).getByRole("listitem").count()).toBe(1);
    await tray(page).getByRole("link", { name: "Requeue dead letters: 6 of 6 requested" }).click();
    await page.waitForURL(/[/]commands[?]action=requeue_dead_letter$/);
    expect(await axeFaults(page)).toEqual([]);
  });
});

describe("a run of cancels", () => {
  const openTasks = async () => {
    const screen = await open("tasks?name=mail.bulk");
    await screen.page
      .getByRole("row", { name: /mail.bulk started/ })
      .first()
      .waitFor();
    await screen.page.getByRole("checkbox", { name: /all/i }).first().check();
    await bar(screen.page).getByText("6 selected").waitFor();
    await bar(screen.page).getByRole("button", { name: "Cancel" }).click();
    return { ...screen, dialog: screen.page.getByRole("dialog", { name: "Cancel 6 tasks" }) };
  };

  test("stops, continues on another click, and is one entry in the tray", async () => {
    const { page, faults, dialog } = await openTasks();
    const second = await holdBack(page, "**/commands/cancel-task", 2);
    await dialog.getByRole("button", { name: "Cancel 6 tasks" }).click();
    await second.inFlight;
    await dialog.getByRole("button", { name: "Stop", exact: true }).click();
    await dialog.getByText("Stopping after the current request.").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    second.release();
    const go = dialog.getByRole("button", { name: "Cancel remaining 4" });
    await expect.poll(() => go.getAttribute("aria-disabled")).toBe("false");
    await dialog.getByText("2 of 6 requested.").waitFor();
    expect(await page.locator("section li").filter({ hasText: "Cancel tasks: 2 of 6 requested" }).count()).toBe(1);
    await go.click();
    await dialog.getByText("6 of 6 requested.").waitFor();
    await waitFor(() => requested().length === 6);
    expect(requested().toSorted()).toEqual(running);
    await dialog.locator("button", { hasText: "Close" }).click();
    await bar(page).waitFor({ state: "detached" });
    expect(await tray(page).getByRole("listitem").count()).toBe(1);
    await tray(page).getByRole("link", { name: "Cancel tasks: 6 of 6 requested" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("whose dialog closes ends after the current request and deselects what was requested", async () => {
    const { page, dialog } = await openTasks();
    const second = await holdBack(page, "**/commands/cancel-task", 2);
    await dialog.getByRole("button", { name: "Cancel 6 tasks" }).click();
    await second.inFlight;
    await dialog.getByRole("button", { name: "Close" }).click();
    await bar(page).getByText("5 selected").waitFor();
    second.release();
    await bar(page).getByText("4 selected").waitFor();
    await tray(page).getByRole("link", { name: "Cancel tasks: 2 of 6 requested" }).waitFor();
    await bar(page).getByRole("button", { name: "Cancel" }).click();
    const rest = page.getByRole("dialog", { name: "Cancel 4 tasks" });
    await rest.getByRole("button", { name: "Cancel 4 tasks" }).click();
    await rest.getByText("4 of 4 requested.").waitFor();
    await waitFor(() => requested().length === 6);
    expect(requested().toSorted()).toEqual(running);
  });

  test("continues on another page", async () => {
    const { page } = await open("queues");
    await page.locator("nav a[href*='/tasks']").first().click();
    const rows = page.getByRole("row", { name: /mail.bulk started/ });
    await expect.poll(() => rows.count()).toBe(6);
    for (let at = 0; at < 6; at += 1) await rows.nth(at).getByRole("checkbox").check();
    await bar(page).getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel 6 tasks" });
    const second = await holdBack(page, "**/commands/cancel-task", 2);
    await dialog.getByRole("button", { name: "Cancel 6 tasks" }).click();
    await second.inFlight;
    await tray(page).getByText("Requesting the rest. Keep this tab open.").waitFor({ state: "attached" });
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await page.waitForURL(/[/]queues/);
    second.release();
    await tray(page).getByRole("link", { name: "Cancel tasks: 6 of 6 requested" }).waitFor();
    await waitFor(() => requested().length === 6);
  });

  test("that a reload cuts off asks first, and then shows how much was requested", async () => {
    const { page, dialog } = await openTasks();
    const third = await holdBack(page, "**/commands/cancel-task", 3);
    await dialog.getByRole("button", { name: "Cancel 6 tasks" }).click();
    await third.inFlight;
    const asking = page.waitForEvent("dialog");
    const reloading = page.reload();
    const question = await asking;
    expect(question.type()).toBe("beforeunload");
    await question.accept();
    await reloading;
    await tray(page).getByRole("link", { name: "Cancel tasks: at least 2 of 6 requested" }).waitFor();
    await tray(page)
      .getByText("The page was closed before the rest. Select the remaining tasks to continue.")
      .waitFor();
    third.release();
  });

  test("keeps its requests when an agent goes offline: the rest is requested, nothing twice", async () => {
    await using other = await startBrainWithSite();
    const bullmq = await connectCommandAgent(other);
    const celery = createScriptedAdapter("celery", ["cancel_task"]);
    const got: unknown[] = [];
    celery.answerCommands(async ({ parameters }) => {
      got.push(parameters.task_id);
      return { status: "success" };
    });
    const connected = await other.connectAgent({ engines: [celery], bufferName: "celery" });
    // The newest, so that it comes first.
    await reportAndWait(other, { adapter: celery }, [
      { kind: "task.sent", taskId: "celery-1", ago: 1, data: { task_name: "reports.build" } },
    ]);
    const { page } = await open("tasks", other);
    await page
      .getByRole("row", { name: /reports.build/ })
      .getByRole("checkbox")
      .check();
    await page
      .getByRole("row", { name: /emails.send started/ })
      .getByRole("checkbox")
      .check();
    await bar(page).getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel 2 tasks" });
    const sent: string[] = [];
    await page.route("**/commands/cancel-task", (route) => {
      sent.push(route.request().postData() ?? "");
      return sent.length === 2 ? refusal(route, 503, "unready") : route.continue();
    });
    await dialog.getByRole("button", { name: "Cancel 2 tasks" }).click();
    await dialog.getByText("We couldn't confirm the next request.").waitFor();
    await connected.agent.stop();
    await page.locator('nav a[href$="/agents"]').getByText("1 offline").first().waitFor({ state: "attached" });
    await dialog.getByRole("button", { name: "Cancel remaining 1" }).click();
    await dialog.getByText("2 of 2 requested.").waitFor();
    await waitFor(() => bullmq.got.length === 1);
    expect([got, bullmq.got[0]?.parameters.task_id]).toEqual([["celery-1"], "run-1"]);
    expect(sent).toHaveLength(3);
    // The same request under the same key.
    expect(sent[2]).toBe(sent[1]);
  });

  test("says that the agents couldn't be loaded, not that none is online", async () => {
    const { page } = await openScreen(brain, { cookie: brain.as.operator.cookie });
    await page.route("**/agents", (route) => refusal(route, 500, "internal_error"));
    await page.goto(`/p/${brain.project.slug}/tasks?name=mail.bulk`);
    await page
      .getByRole("row", { name: /mail.bulk started/ })
      .first()
      .getByRole("checkbox")
      .check();
    await bar(page).getByRole("button", { name: "Cancel" }).click();
    const send = page.getByRole("dialog", { name: "Cancel 1 task" }).getByRole("button", { name: "Cancel 1 task" });
    await expect.poll(() => send.getAttribute("title")).toBe("Couldn't load the agents");
  });
});

/** Loses the response to the first request, which is carried out; `answer` handles the later ones. @returns all bodies */
async function loseAnswer(page: Page, url: string, answer = (route: Route, _place: number) => route.continue()) {
  const sent: string[] = [];
  await page.route(url, async (route) => {
    sent.push(route.request().postData() ?? "");
    if (sent.length > 1) return answer(route, sent.length);
    await route.fetch();
    await route.abort();
  });
  return sent;
}

describe("a request whose response was lost", () => {
  const commandsOf = async (from: TestBrain) =>
    (await from.as.operator.get(`/projects/${from.project.slug}/commands`)).body.items;

  test("stays the same when an agent goes offline, and after a refusal that does not settle it", async () => {
    await using other = await startBrainWithSite();
    await connectCommandAgent(other);
    const second = createScriptedAdapter("bullmq", ["retry_task", "retry_by_reference_v1"]);
    second.answerCommands(async () => ({ status: "success" }));
    const connected = await other.connectAgent({ engines: [second], bufferName: "second" });
    const { page } = await open("tasks/bullmq/bad-1", other);
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    await dialog.getByLabel("Agent").waitFor();
    const sent = await loseAnswer(page, "**/commands/retry-task", (route, place) =>
      place === 2 ? refusal(route, 403, "forbidden") : route.continue(),
    );
    const retry = dialog.getByRole("button", { name: "Retry task" });
    await retry.click();
    await dialog.getByText("We couldn't confirm the request.").waitFor();
    await retry.click();
    await dialog.getByText(/We couldn't confirm the request[.].*Your role doesn't allow this[.]/).waitFor();
    await connected.agent.stop();
    await page.locator('nav a[href$="/agents"]').getByText("1 offline").first().waitFor({ state: "attached" });
    await retry.click();
    await dialog.waitFor({ state: "detached" });
    expect(sent).toHaveLength(3);
    expect(sent.map((body) => body === sent[0])).toEqual([true, true, true]);
    expect(await commandsOf(other)).toHaveLength(1);
  });

  test.each([
    {
      act: "Retry",
      taskId: "bad-1",
      title: "Retry billing.charge",
      button: "Retry task",
      effect: { kind: "task.started", data: { worker: "billing-1", attempt: 1 } },
      state: "started",
    },
    {
      act: "Cancel",
      taskId: "run-1",
      title: "Cancel emails.send",
      button: "Cancel task",
      effect: { kind: "task.revoked" },
      state: "revoked",
    },
  ])(
    "as a $act is repeated unchanged although it took effect",
    async ({ act, taskId, title, button, effect, state }) => {
      await using other = await startBrainWithSite();
      const connected = await connectCommandAgent(other);
      const { page } = await open(`tasks/bullmq/${taskId}`, other);
      await page.getByRole("button", { name: act, exact: true }).click();
      const dialog = page.getByRole("dialog", { name: title });
      const sent = await loseAnswer(page, `**/commands/${act.toLowerCase()}-task`);
      await dialog.getByRole("button", { name: button }).click();
      await dialog.getByText("We couldn't confirm the request.").waitFor();
      report(connected, [{ ...effect, taskId }]);
      await expect.poll(() => page.title()).toMatch(new RegExp(`^${state}`));
      await dialog.getByRole("button", { name: button }).click();
      await dialog.waitFor({ state: "detached" });
      expect(sent).toHaveLength(2);
      expect(sent[1]).toBe(sent[0]);
      expect(await commandsOf(other)).toHaveLength(1);
    },
  );
});
