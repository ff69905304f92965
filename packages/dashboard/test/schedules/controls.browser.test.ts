import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import { connectRaw, type RawAgent, rawHello } from "@svc/testkit/raw-agent";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addSchedule, storeFires } from "../traffic/schedule-pages.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

async function openAs(role: "operator" | "admin", path: string) {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(`/p/${brain.project.slug}/${path}`);
  return screen;
}
const badge = (page: Page, name: RegExp) =>
  page.getByRole("navigation", { name: "Project" }).getByRole("link", { name });

test("Run now starts the task once, as a fire by hand whose result arrives", async () => {
  const adapter = createScriptedAdapter("scripted", ["submit_task"]);
  const names: unknown[] = [];
  adapter.answerCommands(async ({ parameters }) => {
    names.push(parameters.task_name);
    return { status: "success", result: { task_id: "started-1" } };
  });
  await brain.connectAgent({ engines: [adapter] });
  const { id, name } = await addSchedule(brain, { name: "by.hand", expression: "0 4 * * *" });
  const { page, faults } = await openAs("operator", `schedules/${id}`);
  await page.getByRole("button", { name: "Run now" }).click();
  const dialog = page.getByRole("dialog", { name: `Run ${name} now` });
  await dialog.getByRole("button", { name: "Run now" }).click();
  await dialog.waitFor({ state: "detached" });
  const fire = page.getByRole("region", { name: "Fires", exact: true }).getByRole("row", { name: /by hand/ });
  await fire.getByText("Done", { exact: true }).waitFor();
  expect(names).toEqual(["billing.close_day"]);
  expect(faults).toEqual([]);
});

test("an admin clears a quarantine, and the rail no longer counts the schedule", async () => {
  const { id, name } = await addSchedule(brain, { name: "held.back" });
  await brain.running.brain.database.write((tx) =>
    tx
      .updateTable("schedules")
      .set({
        quarantined_at: new Date(),
        quarantine_code: "bad_payload",
        quarantine_detail: "kwargs",
        next_run_at: null,
      })
      .where("id", "=", id)
      .execute(),
  );
  const { page, faults } = await openAs("admin", `schedules/${id}`);
  await badge(page, /^Schedules ?, 1 stopped$/).waitFor();
  await page.getByText("The scheduler quarantined it: bad_payload, kwargs.").waitFor();
  await page.getByRole("button", { name: "Clear quarantine" }).click();
  await page
    .getByRole("dialog", { name: `Clear the quarantine of ${name}` })
    .getByRole("button", { name: "Clear quarantine" })
    .click();
  await page.getByText("enabled", { exact: true }).waitFor();
  await badge(page, /^Schedules$/).waitFor();
  expect((await brain.as.viewer.get(`/projects/${brain.project.slug}/schedules/${id}`)).body).toMatchObject({
    quarantined_at: null,
    next_run_at: expect.any(String),
  });
  expect(faults).toEqual([]);
});

describe("a schedule of an engine", () => {
  const scheduler = "beat";
  let agent: RawAgent;
  let id: string;
  let sequence = 0;
  const report = async (kind: string, is_enabled: boolean) => {
    sequence += 1;
    const schedule = { name: "nightly", task_name: "mail", kind: "cron", expression: "0 6 * * *", is_enabled };
    const event = {
      ...{ id: randomUUID(), kind: `schedule.${kind}`, engine: "bullmq", task_id: "" },
      occurred_at: new Date().toISOString(),
      data: { scheduler, stream: { epoch: 1, sequence }, schedule },
    };
    await agent.ackOf(agent.sendEvents([event]));
  };
  /** The next command of this action, once the agent has it. */
  const commandOf = (action: string) =>
    waitFor(() => agent.frames.find(({ payload }) => payload?.action === action && payload.delivery_claim_token));
  const succeed = async (action: string) => {
    const { id: commandId, payload } = await commandOf(action);
    const result = { status: "success", result: {}, delivery_claim_token: payload?.delivery_claim_token };
    agent.sendFrame("command_result", result, commandId);
  };
  const confirm = async (page: Page, dialog: string, act: string) => {
    const shown = page.getByRole("dialog", { name: dialog });
    await shown.getByText(/the engine's scheduler|Starts mail once/).waitFor();
    await shown.getByRole("button", { name: act }).click();
    await shown.waitFor({ state: "detached" });
  };
  beforeAll(async () => {
    const tokens = ["schedule.enable", "schedule.disable", "schedule.trigger_now"];
    const hello = rawHello({ engines: ["bullmq"], schedulers: [scheduler], capabilities: { [scheduler]: tokens } });
    agent = await connectRaw({ url: brain.url, ...(await brain.mintAgent()) }, { hello });
    await agent.settle();
    await report("created", true);
    const { body } = await brain.as.viewer.get(`/projects/${brain.project.slug}/schedules`);
    id = body.items.find(({ name }: { name: string }) => name === "nightly").id;
  });
  afterAll(() => agent?.close());

  test("is disabled and enabled by its agent, and shows the request until its scheduler confirms it", async () => {
    const { page, faults } = await openAs("operator", `schedules/${id}`);
    await page.getByRole("button", { name: "Disable" }).click();
    await confirm(page, "Disable nightly", "Disable schedule");
    await page.getByText("Pending: its scheduler was asked to disable it.").waitFor();
    // The agent's result alone does not prove it.
    await succeed("schedule.disable");
    await page.getByText("enabled", { exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await report("updated", false);
    await page.getByText("disabled", { exact: true }).waitFor();
    await page.getByText("Pending: its scheduler").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Enable" }).click();
    await confirm(page, "Enable nightly", "Enable schedule");
    await page.getByText("Pending: its scheduler was asked to enable it.").waitFor();
    await succeed("schedule.enable");
    await report("updated", true);
    await page.getByText("enabled", { exact: true }).waitFor();
    await page.getByText("Pending: its scheduler").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("is run once by its agent, and the tray follows the command", async () => {
    const { page, faults } = await openAs("operator", `schedules/${id}`);
    await page.getByRole("button", { name: "Run now" }).click();
    await confirm(page, "Run nightly now", "Run now");
    await commandOf("schedule.trigger_now");
    await page.getByText("Run nightly now").first().waitFor();
    await succeed("schedule.trigger_now");
    expect(faults).toEqual([]);
  });
});

describe("schedules at the same minute", () => {
  let id: string;
  beforeAll(async () => {
    ({ id } = await addSchedule(brain, { name: "spread.first", expression: "0 9 * * *" }));
    await addSchedule(brain, { name: "spread.second", expression: "0-4 9 * * *" });
    await addSchedule(brain, { name: "spread.third", kind: "cron", expression: "5 9 * * *" });
    await storeFires(brain, id, [{ hoursAgo: 1, status: "acked_success", latencyMs: 40 }]);
  });

  test("are listed by the forecast, and the suggestion opens the editor with a free minute", async () => {
    const { page, faults } = await openAs("admin", "schedules/forecast");
    await page.getByRole("link", { name: "Move spread.first to 09:06" }).first().click();
    const expression = page.getByLabel("Expression", { exact: true });
    await expect.poll(() => expression.inputValue()).toBe("6 9 * * *");
    await page.getByText("Every day at 09:06 (UTC)").waitFor();
    await page.getByRole("link", { name: "Last 1 slot: 1 done" }).waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { level: 1, name: "spread.first" }).waitFor();
    const { body } = await brain.as.viewer.get(`/projects/${brain.project.slug}/schedules/${id}`);
    expect(body.expression).toBe("6 9 * * *");
    expect(faults).toEqual([]);
  });

  test("are named in the editor, with a minute that is free", async () => {
    const { page, faults } = await openAs("admin", "schedules/new");
    await page.getByLabel("Expression", { exact: true }).fill("5 9 * * *");
    await page.getByText(/^09:05 collides with 1 schedule$/).waitFor();
    await page.getByRole("button", { name: "Move to 09:07" }).click();
    await expect.poll(() => page.getByLabel("Expression", { exact: true }).inputValue()).toBe("7 9 * * *");
    await page.getByText(/collides with/).waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("are drawn in the forecast above the list, also as a table", async () => {
    const { page, faults } = await openAs("operator", "schedules");
    const forecast = page.getByRole("region", { name: "Forecast", exact: true });
    await forecast.getByRole("img", { name: /^Between [0-9]+ and [0-9]+ fires/ }).waitFor();
    await forecast.getByRole("button", { name: "Show table: Forecast" }).click();
    await forecast.getByRole("row", { name: /09:00/ }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
