import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addSchedule, storeFires, storeMisfire } from "../traffic/schedule-pages.ts";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
const ids: Record<string, string> = {};
const at = () => `/projects/${brain.project.slug}/schedules`;

beforeAll(async () => {
  brain = await startBrainWithSite();
  for (const [name, more] of Object.entries({
    "reports.hourly": { expression: "0 * * * *" },
    "billing.close_day": { expression: "0 2,4 * * *", timezone: "Europe/Berlin" },
    "billing.dunning": { expression: "*/5 * * * *", is_enabled: false },
    "mirror.cleanup": {},
  })) {
    ids[name] = (await addSchedule(brain, { name, ...more })).id;
  }
  const fires = [1, 2, 3, 4, 5].map((hoursAgo) => ({ hoursAgo, status: "acked_failed", latencyMs: 900 }));
  await storeFires(brain, idOf("billing.dunning"), fires);
  await storeFires(brain, idOf("reports.hourly"), [
    { hoursAgo: 1, status: "terminal_timeout" },
    { hoursAgo: 3, status: "acked_success", latencyMs: 40 },
  ]);
  await storeMisfire(brain, { id: idOf("reports.hourly"), name: "reports.hourly" }, 2);
  // As if the scheduler of an engine had reported it.
  await brain.running.brain.database.write((tx) =>
    tx.updateTable("schedules").set({ scheduler: "bullmq" }).where("id", "=", idOf("mirror.cleanup")).execute(),
  );
});
afterAll(() => brain?.stop());

const idOf = (name: string) => ids[name] as string;
async function openAs(role: TestRole, path = "") {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(`/p/${brain.project.slug}/schedules${path}`);
  return screen;
}
const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(name.replace(".", "[.]")) });
const names = (page: Page) => page.locator("tbody tr td a b").allTextContents();
const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

describe("the list", () => {
  test("has stopped schedules first, with the reason and a way out, and draws the fires of each", async () => {
    const { page, faults } = await openAs("viewer");
    await row(page, "reports.hourly")
      .getByRole("img", { name: "3 slots, oldest first: 1 done, 1 missed, 1 failed" })
      .waitFor();
    expect((await names(page))[0]).toBe("billing.dunning");
    await page.getByText("was stopped after 5 failed fires in a row").waitFor();
    await row(page, "billing.dunning").getByText("5/5").waitFor();
    await row(page, "mirror.cleanup").getByText("This scheduler doesn't report fires").waitFor();
    await row(page, "billing.close_day")
      .getByRole("cell", { name: "0 2,4 * * * Every day at 02:00 and 04:00 (Europe/Berlin)" })
      .waitFor();
    expect(faults).toEqual([]);
  });

  test("shows slot, time and latency of the bar under the pointer", async () => {
    const { page } = await openAs("viewer");
    const strip = row(page, "reports.hourly").getByRole("img");
    await strip.hover({ position: { x: 175, y: 12 } });
    await expect
      .poll(() => strip.locator("title").textContent())
      .toMatch(/^Planned .+ UTC\nDone\nFired .+\nLatency 40 ms$/);
    await strip.hover({ position: { x: 185, y: 12 } });
    await expect.poll(() => strip.locator("title").textContent()).toContain("Missed: not fired");
  });

  test("asks for the fires of all schedules at once", async () => {
    const reads: URL[] = [];
    const { page } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
    page.on("request", (request) => reads.push(new URL(request.url())));
    await page.goto(`/p/${brain.project.slug}/schedules`);
    await row(page, "reports.hourly").getByRole("img").waitFor();
    const runs = reads.filter(({ pathname }) => pathname.endsWith("/schedules/runs"));
    expect(new Set(runs.map(({ searchParams }) => searchParams.getAll("id").length))).toEqual(new Set([3]));
  });

  test("is narrowed by state and text, in the URL", async () => {
    const { page } = await openAs("viewer");
    await page.getByRole("radio", { name: "Stopped 1" }).check();
    await page.waitForURL("**/schedules?show=tripped");
    await expect.poll(() => names(page)).toEqual(["billing.dunning"]);
    await page.getByRole("radio", { name: "Native 1" }).check();
    await expect.poll(() => names(page)).toEqual(["mirror.cleanup"]);
    await page.getByRole("radio", { name: "All 4" }).check();
    await page.keyboard.press("/");
    await page.keyboard.type("europe");
    await expect.poll(() => names(page)).toEqual(["billing.close_day"]);
  });

  test("follows changes without a reload, and disables a schedule by its switch", async () => {
    const { id, name } = await addSchedule(brain, { name: "live.one", expression: "0 5 * * *" });
    const { page, faults } = await openAs("operator");
    await row(page, name).waitFor();
    await brain.as.operator.post(`${at()}/${id}/pause`);
    await row(page, name).getByText("paused").waitFor();
    await brain.as.operator.post(`${at()}/${id}/resume`);
    await row(page, name).getByText(/^in /).waitFor();
    const toggle = row(page, name).getByRole("switch");
    await toggle.click();
    const dialog = page.getByRole("dialog", { name: "Disable live.one" });
    await dialog.getByRole("button", { name: "Disable schedule" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => toggle.getAttribute("aria-checked")).toBe("false");
    expect((await brain.as.viewer.get(`${at()}/${id}`)).body.is_enabled).toBe(false);
    expect(faults).toEqual([]);
    await brain.as.root.delete(`${at()}/${id}`);
  });

  test("shows a viewer why the switch is disabled", async () => {
    const { page } = await openAs("viewer");
    const toggle = row(page, "reports.hourly").getByRole("switch");
    await expect.poll(() => toggle.getAttribute("title")).toBe("Needs the operator role in this project");
  });
});

describe("one schedule", () => {
  test("shows its next runs in its own and the chosen zone, and its definition", async () => {
    const { page, faults } = await openAs("viewer", `/${idOf("billing.close_day")}`);
    const runs = part(page, "Next runs");
    await runs.getByRole("columnheader", { name: "Europe/Berlin" }).waitFor();
    await runs.getByRole("columnheader", { name: "UTC" }).waitFor();
    expect(await runs.locator("tbody tr").count()).toBe(10);
    await part(page, "Definition")
      .getByText(/the newest missed fire runs once.+the 04:00 fire runs once at/)
      .waitFor();
    expect(faults).toEqual([]);
  });

  test("says before a run that the schedule stays as it is, and why none can be started", async () => {
    const { page } = await openAs("operator", `/${idOf("reports.hourly")}`);
    await page.getByRole("button", { name: "Run now" }).click();
    const dialog = page.getByRole("dialog", { name: "Run reports.hourly now" });
    await dialog.getByText(/The schedule itself doesn't change: its next run stays at/).waitFor();
    await dialog.getByRole("button", { name: "Run now" }).click();
    await dialog.getByText("Nothing was started. No agent for scripted is online.").waitFor();
  });

  test("lets an operator set how a fire without an outcome ended", async () => {
    const { page, faults } = await openAs("operator", `/${idOf("reports.hourly")}`);
    const fires = part(page, "Fires");
    await fires
      .getByRole("row", { name: /Outcome unknown/ })
      .getByRole("button", { name: "Resolve" })
      .click();
    const dialog = page.getByRole("dialog", { name: "Resolve fire" });
    const act = dialog.getByRole("button", { name: "Resolve fire" });
    await expect.poll(() => act.getAttribute("aria-disabled")).toBe("true");
    await dialog.getByRole("checkbox", { name: "I know that the task may have run" }).check({ force: true });
    await act.click();
    await dialog.waitFor({ state: "detached" });
    await fires.getByText("Done (set by an operator)").waitFor();
    expect(faults).toEqual([]);
  });

  test("that was stopped is enabled after its cause is shown", async () => {
    const { page, faults } = await openAs("operator", `/${idOf("billing.dunning")}`);
    await page.getByText("Last error: PaymentError: upstream 503").waitFor();
    await page.getByText("Stopped after 5 failed fires in a row.").waitFor();
    await page.getByRole("button", { name: "Fix and enable" }).click();
    await page
      .getByRole("dialog", { name: "Enable billing.dunning" })
      .getByRole("button", { name: "Enable schedule" })
      .click();
    await page.getByText("enabled", { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test("of an engine's scheduler has no fires, and is changed there", async () => {
    const { page, faults } = await openAs("admin", `/${idOf("mirror.cleanup")}`);
    await page.getByText("It doesn't report fires.").waitFor();
    expect(await page.getByRole("heading", { name: "Fires" }).count()).toBe(0);
    const edit = page.getByRole("button", { name: "Edit" });
    expect(await edit.getAttribute("title")).toBe("Defined in its engine's scheduler. Change it there");
    await page.goto(`/p/${brain.project.slug}/schedules/${idOf("mirror.cleanup")}/edit`);
    await page.getByRole("heading", { name: "Defined in its engine's scheduler" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("is deleted after confirmation", async () => {
    const { id, name } = await addSchedule(brain, { name: "short.lived" });
    const { page } = await openAs("admin", `/${id}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("dialog", { name: `Delete ${name}` })
      .getByRole("button", { name: "Delete schedule" })
      .click();
    await page.waitForURL(/\/schedules$/);
    await row(page, "reports.hourly").waitFor();
    expect(await names(page)).not.toContain(name);
  });
});

describe("the editor", () => {
  test("previews the runs while typing, and creates the schedule", async () => {
    const { page, faults } = await openAs("admin", "/new");
    await page.getByLabel("Expression", { exact: true }).fill("30 17 * * 1-5");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByText("At 17:30 on Monday to Friday (Europe/Berlin)").waitFor();
    await part(page, "Next runs").getByRole("columnheader", { name: "Europe/Berlin" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("emails.evening");
    await page.getByLabel("Engine").fill("bullmq");
    await page.getByLabel("Task name").fill("emails.send");
    await page.getByLabel("Keyword arguments").fill('{"kind": "evening", "id": 12345678901234567890}');
    await page.getByLabel("Late start after").fill("60");
    await page.getByRole("button", { name: "Create schedule" }).click();
    await page.getByRole("heading", { level: 1, name: "emails.evening" }).waitFor();
    const { body } = await brain.as.viewer.get(at());
    expect(body.items.find(({ name }: { name: string }) => name === "emails.evening")).toMatchObject({
      engine: "bullmq",
      timezone: "Europe/Berlin",
      expression: "30 17 * * 1-5",
      late_start_seconds: 60,
      queue: null,
    });
    expect(faults).toEqual([]);
  });

  test("shows what is missing and what the server refuses at their fields", async () => {
    const { page } = await openAs("admin", "/new");
    await page.getByLabel("Keyword arguments").fill("[]");
    await page.getByRole("button", { name: "Create schedule" }).click();
    await expect.poll(() => page.getByText("Required", { exact: true }).count()).toBeGreaterThanOrEqual(2);
    await page.getByText("Must be an object").waitFor();
    await page.getByLabel("Expression", { exact: true }).fill("61 * * * *");
    await expect.poll(() => page.getByLabel("Expression", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await part(page, "Next runs").getByText("Correct the expression or the time zone.").waitFor();
  });

  test("names the conflict when the name is taken", async () => {
    const { page } = await openAs("admin", "/new");
    await page.getByLabel("Name", { exact: true }).fill("reports.hourly");
    await page.getByLabel("Engine").fill("bullmq");
    await page.getByLabel("Task name").fill("reports.build");
    await page.getByRole("button", { name: "Create schedule" }).click();
    await page.getByText("Another schedule of this project has this name").waitFor();
  });

  test("changes only what was changed", async () => {
    const { page, faults } = await openAs("admin", `/${idOf("billing.close_day")}/edit`);
    const save = page.getByRole("button", { name: "Save changes" });
    await expect.poll(() => save.getAttribute("title")).toBe("No changes to save");
    await page.getByLabel("After downtime").selectOption({ label: "Skip missed fires" });
    await page.getByText(/the fires of .+ are skipped/).waitFor();
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await save.click();
    expect((await sent).postDataJSON()).toEqual({ catch_up: "skip" });
    await page.getByRole("heading", { level: 1, name: "billing.close_day" }).waitFor();
    await part(page, "Definition")
      .getByText(/After downtime, missed fires are skipped/)
      .waitFor();
    expect(faults).toEqual([]);
  });
});

test("misfires lead to their schedule", async () => {
  const { page, faults } = await openAs("viewer", "/misfires");
  const misfire = row(page, "reports.hourly");
  await misfire.getByText("Not fired in time").waitFor();
  await misfire.getByText("1 min 30 s").waitFor();
  await misfire.getByRole("link", { name: "reports.hourly" }).click();
  await page.getByRole("heading", { level: 1, name: "reports.hourly" }).waitFor();
  expect(faults).toEqual([]);
});
