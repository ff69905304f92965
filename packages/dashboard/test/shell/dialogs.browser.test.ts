import { enrollSecondFactor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actions, type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
import { deadLetter, deadLetterRow, deadLettersPage, loadDeadLetters } from "../traffic/dead-letters.ts";
import { holdReads } from "../window/delayed-reads.ts";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
let careful: string;
let failedCommand: string;
let fingerprint: string;
let workerId: string;

beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain, [...actions, "retry_by_reference_v1", "list_dead_letters"]);
  agent.answer = ({ action }) =>
    action === "dlq.list" ? deadLettersPage([deadLetter("dead-1")]) : { status: "failed", error: "redis is away" };
  const { root } = brain.as;
  const at = `/projects/${brain.project.slug}`;
  const [issues, workers, command] = await Promise.all([
    root.get(`${at}/issues`),
    root.get(`${at}/workers`),
    root.post(`${at}/commands/cancel-task`, { engine: "bullmq", task_id: "wait-1" }),
  ]);
  fingerprint = issues.body.items[0].fingerprint;
  workerId = workers.body.items.find(({ name }: { name: string }) => name === "billing-1").id;
  failedCommand = command.body.id;
  await root.post(`${at}/saved-views`, { name: "Mine", filters: { queue: "billing" } });
  await root.post(`${at}/invitations`, { email: "mira@example.org", role: "operator" });
  await root.post("/api-keys", { name: "nightly", scopes: ["home:read"] });
  const member = await brain.addMember("careful", "viewer");
  await enrollSecondFactor(member);
  await member.post("/auth/mfa/trusted-devices", { label: "Laptop" });
  careful = member.cookie;
});
afterAll(() => brain?.stop());

/** A button to click, or another step that leads to the dialog. */
type Step = string | RegExp | ((page: Page) => Promise<unknown>);

interface Case {
  title: RegExp;
  path: () => string;
  opened: readonly Step[];
  /** The focused element once the content has loaded: the label of a field, or the text of a button. */
  focus: RegExp;
  cookie?: () => string;
}

const inProject = (path: string) => () => `/p/${brain.project.slug}/${path}`;
const key =
  (...keys: string[]) =>
  async (page: Page) => {
    for (const one of keys) await page.keyboard.press(one);
  };
const see = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();
const tick = (id: string) => (page: Page) => page.getByRole("checkbox", { name: id }).check({ force: true });
const all = (page: Page) => page.getByRole("button", { name: /^Select all/ }).click();
const view = async (page: Page) => {
  await page.getByRole("link", { name: "Mine" }).click();
  await page.getByRole("button", { name: /^Rename or delete the view/ }).click();
};
const selectDeadLetter = async (page: Page) => {
  await loadDeadLetters(page);
  await deadLetterRow(page, "dead-1").getByRole("checkbox").check({ force: true });
};
const task = (id: string) => inProject(`tasks/bullmq/${id}`);
const worker = () => `/p/${brain.project.slug}/workers/${workerId}`;
const queue = inProject("queues/bullmq/billing");
const nightly = /^Actions of nightly/;
const account = /^Actions of viewer/;
const members = inProject("settings/members");
const cases: readonly Case[] = [
  { title: /^Create project$/, path: () => "/", opened: ["Create project"], focus: /^Name$/ },
  {
    title: /^Keyboard shortcuts$/,
    path: inProject("queues"),
    opened: [see("billing"), key("?")],
    focus: /^Keyboard shortcuts/,
  },
  {
    title: /^Find or go to$/,
    path: inProject("queues"),
    opened: [see("billing"), key("Control+k")],
    focus: /^Find or go to$/,
  },
  { title: /^Save view$/, path: inProject("tasks?queue=emails"), opened: ["Save view"], focus: /^Name$/ },
  { title: /^Rename/, path: inProject("tasks"), opened: [view, "Rename"], focus: /^Name$/ },
  { title: /^Delete view Mine$/, path: inProject("tasks"), opened: [view, "Delete"], focus: /^Cancel$/ },
  { title: /^Export/, path: inProject("tasks"), opened: [see("billing.charge"), "Export tasks"], focus: /^Export/ },
  { title: /^Retry 1 task$/, path: inProject("tasks"), opened: [tick("bad-1"), "Retry"], focus: /^Retry 1 task$/ },
  { title: /^Cancel 1 task$/, path: inProject("tasks"), opened: [tick("wait-1"), "Cancel"], focus: /^Cancel$/ },
  { title: /^Delete 1 task$/, path: inProject("tasks"), opened: [tick("bad-1"), "Delete"], focus: /^Cancel$/ },
  {
    title: /^Retry 2 tasks$/,
    path: inProject("tasks?state=failure"),
    opened: [tick("bad-1"), all, "Retry"],
    focus: /canary/i,
  },
  {
    title: /^Retry billing/,
    path: task("bad-1"),
    opened: [see("PaymentError"), key("r")],
    focus: /^Original arguments$/,
  },
  { title: /^Cancel search/, path: task("wait-1"), opened: [see("search.reindex"), key("c")], focus: /^Cancel$/ },
  {
    title: /^Limit rate on/,
    path: task("run-1"),
    opened: ["More actions", "Limit rate of this task name"],
    focus: /^Task name$/,
  },
  { title: /^Restart/, path: worker, opened: ["Restart"], focus: /^Cancel$/ },
  { title: /^Resize/, path: worker, opened: ["Resize pool"], focus: /^Change in pool size/ },
  { title: /^Add consumer to billing-1$/, path: worker, opened: ["Add consumer"], focus: /^Queue$/ },
  { title: /^Cancel consumer of billing-1$/, path: worker, opened: ["Cancel consumer"], focus: /^Cancel$/ },
  { title: /^Purge/, path: queue, opened: ["Purge"], focus: /^Type billing to confirm$/ },
  { title: /^Revoke/, path: () => `/p/shop/agents/${agent.agentId}`, opened: ["Revoke"], focus: /^Cancel$/ },
  {
    title: /^Send/,
    path: () => `/p/shop/commands/${failedCommand}`,
    opened: ["Send again"],
    focus: /^Send command again$/,
  },
  {
    title: /^Requeue 1 dead letter$/,
    path: inProject("dead-letters"),
    opened: [selectDeadLetter, "Requeue 1 dead letter"],
    focus: /^Requeue 1 dead letter$/,
  },
  {
    title: /^Retry 2 tasks/,
    path: () => `/p/shop/issues/${fingerprint}`,
    opened: [/^Retry/],
    focus: /^Retry 2 tasks$/,
  },
  { title: /^Archive/, path: inProject("settings/general"), opened: ["Archive project"], focus: /^Type shop to/ },
  { title: /^Invite member$/, path: members, opened: ["Invite"], focus: /^Email$/ },
  { title: /^Add member$/, path: members, opened: ["Add member"], focus: /^Account email/ },
  { title: /^Change role of viewer/, path: members, opened: [/^Actions of viewer/, "Change role"], focus: /^viewer/ },
  { title: /^Remove/, path: members, opened: [/^Actions of viewer/, "Remove"], focus: /^Cancel$/ },
  { title: /^Revoke invitation for mira/, path: members, opened: [/^Revoke invitation for mira/], focus: /^Cancel$/ },
  { title: /API key$/, path: () => "/me/api-keys", opened: ["Create key"], focus: /^Name$/ },
  {
    title: /^Change addresses/,
    path: () => "/me/api-keys",
    opened: [nightly, "Change addresses"],
    focus: /^Allowed addresses/,
  },
  { title: /^Revoke API key nightly$/, path: () => "/me/api-keys", opened: [nightly, "Revoke"], focus: /^Cancel$/ },
  { title: /^Rename/, path: () => "/me/security", opened: [/^Rename/], focus: /^Name$/, cookie: () => careful },
  { title: /^Disable/, path: () => "/me/security", opened: [/^Disable/], focus: /^Password$/, cookie: () => careful },
  { title: /codes$/, path: () => "/me/security", opened: [/codes/], focus: /^Create codes$/, cookie: () => careful },
  { title: /^Create account/, path: () => "/admin/users", opened: ["Create account"], focus: /^Email$/ },
  { title: /^Edit account viewer/, path: () => "/admin/users", opened: [account, "Edit"], focus: /^Display name$/ },
  {
    title: /^Reset password/,
    path: () => "/admin/users",
    opened: [account, "Reset password"],
    focus: /^New password$/,
  },
  { title: /^Deactivate/, path: () => "/admin/users", opened: [account, "Deactivate"], focus: /^Cancel$/ },
  { title: /^Delete/, path: () => "/admin/users", opened: [account, "Delete"], focus: /^Type viewer/ },
  {
    title: /^Revoke API keys of/,
    path: () => "/admin/users",
    opened: [account, "API keys"],
    focus: /^(Close|Cancel)$/,
  },
  { title: /^Export/, path: inProject("audit"), opened: [see("agent.token.minted"), /^Export/], focus: /^Export/ },
];
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    const named = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement ? at.labels?.[0] : null;
    return (named?.textContent ?? at?.getAttribute("aria-label") ?? at?.textContent ?? "").trim();
  });

async function openDialog({ path, opened, cookie, title }: Case) {
  const screen = await openScreen(brain, { cookie: cookie?.() ?? brain.as.root.cookie });

  await screen.page.goto(path());
  for (const step of opened) {
    if (typeof step === "function") await step(screen.page);
    else await screen.page.getByRole("button", { name: step, exact: true }).first().click();
  }
  await screen.page.getByRole("dialog", { name: title }).waitFor();
  return screen;
}

describe.each(cases)("the dialog $title", (one) => {
  test("starts where it is filled in or sent, and no key that is typed in it reaches the page", async () => {
    const { page, faults } = await openDialog(one);
    await expect.poll(() => focused(page)).toMatch(one.focus);
    const address = page.url();
    const isText = await page.evaluate(() => document.activeElement?.matches("input:not([type=radio]), textarea"));
    const typed = isText ? "g t?rcx/" : "gt?rcx/";
    await page.keyboard.type(typed);
    expect(await page.locator("dialog:modal").count()).toBe(1);
    expect(await page.getByRole("dialog", { name: one.title }).count()).toBe(1);
    expect(page.url()).toBe(address);
    if (isText) expect(await page.locator("dialog:modal :focus").inputValue()).toContain(typed);
    expect(faults).toEqual([]);
  });
});

test("a failed task is retried with six keys from the start page of the project", async () => {
  const { page } = await openScreen(brain, { cookie: brain.as.operator.cookie });
  await page.goto(inProject("")());
  await page.getByRole("navigation", { name: "Project" }).waitFor();
  let pressed = 0;
  const press = async (...keys: string[]) => {
    pressed += keys.length;
    for (const one of keys) await page.keyboard.press(one);
  };
  agent.got.length = 0;
  await press("g", "t");
  await page.getByRole("row", { name: "search.reindex pending" }).waitFor();
  await press("2");
  await page.getByRole("row", { name: "search.reindex pending" }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: "billing.charge failure" }).first().waitFor();
  await press("j", "r");
  await page
    .getByRole("dialog", { name: "Retry billing.charge" })
    .getByRole("radio", { name: "Original arguments" })
    .waitFor();
  await press("Enter");
  await expect.poll(() => agent.got.map(({ action }) => action)).toEqual(["retry_task"]);
  expect(pressed).toBeLessThanOrEqual(6);
});

test("typing after a dialog closed automatically triggers no shortcut", async () => {
  const { page } = await openScreen(brain, { cookie: brain.as.root.cookie });
  await page.goto(inProject("tasks?queue=emails")());
  await page.getByRole("row", { name: "emails.send started" }).waitFor();
  const release = await holdReads(page, "**/saved-views");
  await page.getByRole("button", { name: "Save view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByLabel("Name").fill("Sent");
  await page.keyboard.press("Enter");
  await page.keyboard.type("a");
  const released = release();
  // Characters are typed without a pause, first into the field and then on the page.
  while ((await dialog.count()) > 0) await page.keyboard.type("a");
  await page.keyboard.type("[");
  await released;
  const rail = () => page.evaluate(() => document.documentElement.dataset.rail);
  expect(await rail()).toBeUndefined();
  await page.keyboard.press("Escape");
  await page.keyboard.type("[");
  expect(await rail()).toBe("narrow");
});
