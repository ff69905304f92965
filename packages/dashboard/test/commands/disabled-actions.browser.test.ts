import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
import { report, reportAndWait } from "../traffic/task-traffic.ts";
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
});

async function openAs(role: TestRole, path: string, size: "desktop" | "phone" = "desktop") {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie, size });
  await screen.page.goto(`/p/${brain.project.slug}/${path}`);
  return screen;
}
const reasonIn = (dialog: Locator) => dialog.getByRole("status");
const hasFocus = (button: Locator) => button.evaluate((element) => element === document.activeElement);
async function tabTo(page: Page, button: Locator): Promise<void> {
  for (let stops = 0; stops < 60 && !(await hasFocus(button)); stops += 1) await page.keyboard.press("Tab");
  expect(await hasFocus(button)).toBe(true);
}
const isDisabled = (button: Locator) => expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");

describe("a disabled button", () => {
  const reason = "Needs the operator role in this project";
  const layer = (page: Page) => page.locator("[popover]:popover-open", { hasText: reason });

  test("shows the reason on tap, next to it and without a layout shift", async () => {
    const { body } = await brain.as.root.get(`/projects/${brain.project.slug}/workers`);
    const { page, faults } = await openAs("viewer", `workers/${body.items[0].id}`, "phone");
    const control = page.getByRole("region", { name: "Control" });
    const button = control.getByRole("button", { name: "Resize pool" });
    await expect.poll(() => button.getAttribute("title")).toBe(reason);
    await button.scrollIntoViewIfNeeded();
    const places = () =>
      control.evaluate((part) => [part, ...part.querySelectorAll("button")].map((one) => one.getBoundingClientRect()));
    const before = await places();
    await button.tap({ force: true });
    await layer(page).waitFor();
    expect(await places()).toEqual(before);
    const [box, at] = [await layer(page).boundingBox(), await button.boundingBox()];
    if (box === null || at === null) throw new Error("it is not on the screen");
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    expect(Math.min(Math.abs(box.y - at.y - at.height), Math.abs(at.y - box.y - box.height))).toBeLessThan(8);
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("heading", { level: 1 }).tap();
    await layer(page).waitFor({ state: "detached" });
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("shows the reason on keyboard focus, until the next button", async () => {
    const { page, faults } = await openAs("viewer", "tasks/bullmq/bad-1");
    const button = page.getByRole("button", { name: "Retry", exact: true });
    await expect.poll(() => button.getAttribute("title")).toBe(reason);
    await tabTo(page, button);
    await layer(page).waitFor();
    await page.keyboard.press("Escape");
    await layer(page).waitFor({ state: "detached" });
    expect(await hasFocus(button)).toBe(true);
    await page.keyboard.press("Enter");
    await layer(page).waitFor();
    await page.keyboard.press("Shift+Tab");
    await layer(page).waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("shows the reason over the task list without pausing it, unlike a menu", async () => {
    const data = { task_name: "reports.build", queue: "emails" };
    await reportAndWait(brain, { adapter: agent.adapter }, [{ kind: "task.sent", taskId: "build-1", ago: 2, data }]);
    const { page } = await openAs("viewer", "tasks?task=bullmq/bad-1");
    const row = page.getByRole("row", { name: /reports.build/ });
    await row.waitFor();
    await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Cancel", exact: true }));
    await layer(page).waitFor();
    report({ adapter: agent.adapter }, [{ kind: "task.succeeded", taskId: "build-1", data: { runtime_ms: 9 } }]);
    await row.getByText("success").waitFor();
    expect(await layer(page).count()).toBe(1);
  });
});

describe("a dialog", () => {
  test.each([
    ["wait-1", "r", "Retry search.reindex", "Retry task", "The task has not finished yet"],
    ["bad-1", "c", "Cancel billing.charge", "Cancel task", "The task has already finished"],
  ])("of the task %s that the key %s opens is disabled like its button", async (task, key, title, act, why) => {
    const { page, faults } = await openAs("operator", `tasks/bullmq/${task}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press(key);
    const dialog = page.getByRole("dialog", { name: title });
    await reasonIn(dialog).getByText(why).waitFor();
    const button = dialog.getByRole("button", { name: act });
    await isDisabled(button);
    await button.click({ force: true });
    expect(await dialog.getByText("before it runs").count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    expect(agent.got).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("shows a viewer the reason and no choice of an agent", async () => {
    const { page } = await openAs("viewer", "tasks?task=bullmq/bad-1");
    await page.getByRole("dialog", { name: "billing.charge" }).waitFor();
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Retry billing.charge" });
    await reasonIn(dialog).getByText("Needs the operator role in this project").waitFor();
    await isDisabled(dialog.getByRole("button", { name: "Retry task" }));
    expect(await dialog.getByLabel("Agent").count()).toBe(0);
  });

  test("shows what is missing above its buttons", async () => {
    const { page } = await openAs("admin", "queues/bullmq/billing", "phone");
    await page.getByRole("button", { name: "Purge" }).click();
    const dialog = page.getByRole("dialog", { name: "Purge billing" });
    const status = reasonIn(dialog).filter({ hasText: "Type the queue name first" });
    await status.waitFor();
    const [message, foot] = [
      await status.boundingBox(),
      await dialog.getByRole("button", { name: "Cancel", exact: true }).boundingBox(),
    ];
    if (message === null || foot === null) throw new Error("it is not on the screen");
    expect(message.y + message.height).toBeLessThanOrEqual(foot.y);
    await dialog.getByLabel("Type billing to confirm").fill("billing");
    await status.waitFor({ state: "detached" });
  });
});

describe("truncated inputs", () => {
  test("are not filled in, and can't be sent while they contain a marker", async () => {
    const marker = "[...808 more bytes truncated]";
    report({ adapter: agent.adapter }, [
      {
        kind: "task.sent",
        taskId: "long-1",
        ago: 9,
        data: { task_name: "mail.send", kwargs: { body: "x".repeat(9_000) } },
      },
      { kind: "task.failed", taskId: "long-1", ago: 4, data: { exception: "MailError: 550" } },
    ]);
    const path = `/projects/${brain.project.slug}/tasks/bullmq/long-1`;
    await waitFor(async () => (await brain.as.root.get(path)).body.state === "failure");
    const { page, faults } = await openAs("operator", "tasks/bullmq/long-1");
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Retry mail.send" });
    await dialog.getByRole("radio", { name: "Changed arguments" }).check();
    const kwargs = dialog.getByLabel("Keyword arguments");
    expect(await kwargs.inputValue()).toBe("");
    await dialog.getByText("are redacted or truncated, so they aren't filled in").first().waitFor();
    await dialog.getByLabel("Positional arguments").fill("[]");
    await kwargs.fill(JSON.stringify({ body: `Dear${marker}` }));
    await dialog.getByText(`Still contains ${marker}. Enter the real value`).waitFor();
    await reasonIn(dialog).getByText("Some arguments are redacted or truncated").waitFor();
    const send = dialog.getByRole("button", { name: "Retry task" });
    await isDisabled(send);
    await send.click({ force: true });
    expect(agent.got).toEqual([]);
    await kwargs.fill('{"body": "Dear all"}');
    await send.click();
    await dialog.waitFor({ state: "detached" });
    await waitFor(() => agent.got.length === 1);
    expect(agent.got[0]?.parameters.override_kwargs).toEqual({ body: "Dear all" });
    expect(faults).toEqual([]);
  });
});

test("with only polling agents the request names one, since the service would pick none", async () => {
  await using other = await startBrainWithSite();
  await connectCommandAgent(other, []);
  const polling = await Promise.all(
    ["first", "second"].map((bufferName) => other.connectAgent({ transport: "longpoll", bufferName })),
  );
  const { page } = await openScreen(other, { cookie: other.as.operator.cookie });
  await page.goto(`/p/${other.project.slug}/tasks/bullmq/wait-1`);
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel search.reindex" });
  const options = dialog.getByLabel("Agent").locator("option");
  await expect.poll(() => options.count()).toBe(2);
  const ids = await options.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  expect(ids.toSorted()).toEqual(polling.map(({ minted }) => minted.agentId).toSorted());
  const answered = page.waitForResponse("**/commands/cancel-task");
  await dialog.getByRole("button", { name: "Cancel task" }).click();
  const response = await answered;
  expect(response.status()).toBe(202);
  expect(response.request().postDataJSON()).toMatchObject({ task_id: "wait-1", agent_id: ids[0] });
});
