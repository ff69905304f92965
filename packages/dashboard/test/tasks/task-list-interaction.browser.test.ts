import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, textOf } from "../window/screen.ts";

const shop = openShop();
const tasksPath = () => `/projects/${shop.brain.project.slug}/tasks`;
const row = (page: Page, name: string) => page.getByRole("row", { name });
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

async function openTasks(search = "", cookie = shop.brain.as.admin.cookie) {
  const screen = await openScreen(shop.brain, { cookie });
  await screen.page.goto(`/p/${shop.brain.project.slug}/tasks${search}`);
  await screen.page.getByRole("heading", { level: 1, name: "Tasks" }).waitFor();
  return screen;
}

async function reportAndWait(events: readonly ReportedEvent[]): Promise<void> {
  report(shop.connected, events);
  const last = events.at(-1)?.taskId;
  await waitFor(async () => (await shop.brain.as.admin.get(`${tasksPath()}/scripted/${last}`)).status === 200);
}
const sent = (taskId: string, name: string, queue: string, ago = 0): ReportedEvent => ({
  kind: "task.sent",
  taskId,
  ago,
  data: { task_name: name, queue },
});

describe("while rows are frozen", () => {
  test("rows do not change and the page says so, until updates resume", async () => {
    await reportAndWait([sent("held-1", "held.one", "held")]);
    const { page } = await openTasks("?queue=held");
    await row(page, "held.one pending").getByRole("checkbox").check({ force: true });
    await page.getByRole("button", { name: "Updates paused" }).waitFor();
    report(shop.connected, [{ kind: "task.started", taskId: "held-1", data: { worker: "w" } }]);
    await reportAndWait([sent("held-2", "held.two", "held")]);
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await row(page, "held.one pending").count()).toBe(1);

    await page.getByRole("button", { name: "Updates paused" }).click();

    await row(page, "held.one started").waitFor();
    await page.getByRole("button", { name: "Live tail" }).waitFor();
  });

  test("an open menu and selected text freeze them too", async () => {
    const { page } = await openTasks();
    await row(page, "billing.charge failure").waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("button", { name: "Updates paused" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Live tail" }).waitFor();

    await page.getByRole("grid").getByText("billing-1").first().selectText();
    await page.getByRole("button", { name: "Updates paused" }).waitFor();
  });

  test("no row moves when the selection bar appears and disappears", async () => {
    await reportAndWait(
      Array.from({ length: 60 }, (_, index) => sent(`still-${index}`, "still.one", "still", 100 + index)),
    );
    const { page } = await openTasks("?queue=still");
    const third = page.locator("[role=row][id]").nth(3);
    await third.waitFor();
    const top = async () => (await third.boundingBox())?.y;
    const before = await top();

    await third.getByRole("checkbox").check({ force: true });
    await page.getByText("1 selected").waitFor();
    expect(await top()).toBe(before);

    await page.getByRole("button", { name: "Clear selection" }).click();
    await page.getByText("1 selected").waitFor({ state: "detached" });
    expect(await top()).toBe(before);
  });
});

test("the first row of a short list stays visible when selected", async () => {
  await reportAndWait([sent("few-1", "few.one", "few"), sent("few-2", "few.two", "few")]);
  const { page } = await openTasks("?queue=few");
  const first = page.locator("[role=row][id]").first();
  await first.getByRole("checkbox").check({ force: true });
  await page.getByText("1 selected").waitFor();
  const head = await page.getByRole("columnheader").first().boundingBox();
  expect((await first.boundingBox())?.y).toBeGreaterThanOrEqual((head?.y ?? 0) + (head?.height ?? 0) - 1);
});

test("a task that no longer matches stays in place, with a note", async () => {
  await reportAndWait([sent("stray-1", "stray.one", "stray")]);
  const { page } = await openTasks("?state=pending&queue=stray");
  await row(page, "stray.one pending").waitFor();
  report(shop.connected, [{ kind: "task.started", taskId: "stray-1", data: { worker: "w" } }]);
  await row(page, "stray.one started, no longer matches the filters").getByText("no longer matches").waitFor();
});

describe("filtering by a cell", () => {
  test("uses the focused cell", async () => {
    const { page, faults } = await openTasks("?state=failure");
    await row(page, "billing.charge failure").waitFor();
    await page.keyboard.press("j");
    await row(page, "billing.charge failure").focus();
    for (let step = 0; step < 5; step++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("f");
    await page.waitForURL(/worker=billing-1/);
    expect(param(page, "state")).toBe("failure");
    expect(faults).toEqual([]);
  });

  test("is offered on the cell under the pointer; Alt searches its text", async () => {
    const { page } = await openTasks();
    const cell = row(page, "billing.charge failure").getByText("billing-1");
    await cell.hover();
    await page.getByRole("button", { name: "Show only worker billing-1" }).click({ modifiers: ["Alt"] });
    await page.waitForURL(/search=billing-1/);
    await row(page, "emails.send_receipt success").waitFor({ state: "detached" });
  });

  test("uses the cell under the pointer for keys too, regardless of focus", async () => {
    const { page } = await openTasks();
    await row(page, "billing.charge failure").getByText("billing-1").hover();
    await page.keyboard.press("Alt+f");
    await page.waitForURL(/search=billing-1/);
  });

  test("explains when a cell cannot be a filter", async () => {
    const { page } = await openTasks();
    await row(page, "billing.charge failure").getByRole("img").hover();
    await page.keyboard.press("f");
    await page.getByText("Can't filter by this task's duration.").waitFor();
  });
});

test("Shift+j extends the selection, e shows a task's input, Esc clears the selection", async () => {
  const { page } = await openTasks("?search=billing");
  await row(page, "billing.charge failure").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Shift+J");
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("2 selected").waitFor({ state: "detached" });

  await page.keyboard.press("e");
  await page.getByText('"eu-1"').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press("e");
  await page.getByText('"eu-1"').waitFor({ state: "detached" });
});

describe("views", () => {
  test("are saved, shown as changed, reset, renamed and deleted", async () => {
    const { page, faults } = await openTasks("?queue=billing&state=failure");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByLabel("Name").fill("Payday");
    await page.keyboard.press("Enter");
    const tab = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^Payday/ });
    await tab.waitFor();
    expect(param(page, "queue")).toBe("billing");

    await page.getByRole("button", { name: "Remove filter queue" }).click();
    await page.getByText("Payday · changed").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Reset" }).click();
    await page.waitForURL(/queue=billing/);

    await page.getByRole("radio", { name: /^all \d/ }).check({ force: true });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("· changed").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Rename or delete/ }).click();
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Billing");
    await page.getByRole("button", { name: "Rename view" }).click();
    await page.getByRole("link", { name: "Billing", exact: true }).waitFor();

    const { body } = await shop.brain.as.admin.get(`/projects/${shop.brain.project.slug}/saved-views`);
    expect(body.items).toMatchObject([{ name: "Billing", filters: { queue: "billing" } }]);
    await page.getByRole("button", { name: /^Rename or delete/ }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete view" }).click();
    await page.getByRole("link", { name: "Billing", exact: true }).waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("need a unique name", async () => {
    const path = `/projects/${shop.brain.project.slug}/saved-views`;
    await shop.brain.as.admin.post(path, { name: "Taken", filters: { queue: "media" } });
    const { page } = await openTasks("?queue=search");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByLabel("Name").fill("Taken");
    await page.keyboard.press("Enter");
    await page.getByText("You already have a view with this name.").waitFor();
  });
});

describe("an export", () => {
  test("has the columns of the list in order, without the deselected ones", async () => {
    const { page, faults } = await openTasks("?queue=billing");
    await row(page, "billing.charge failure").waitFor();
    await page.getByText(/tasks match/).waitFor();
    await page.getByRole("button", { name: "Export tasks" }).click();
    const dialog = page.getByRole("dialog", { name: "Export tasks" });
    await dialog.getByText("with queue: billing").waitFor();
    await dialog.getByRole("checkbox", { name: "received_at" }).click();
    const saving = page.waitForEvent("download");
    await dialog.getByRole("button", { name: /^Export 2 tasks/ }).click();
    const file = await saving;

    expect(file.suggestedFilename()).toBe(`svc-tasks-${shop.brain.project.slug}.csv`);
    const text = await textOf(file);
    const [head, ...lines] = text.trim().split("\r\n");
    expect(head).toBe("state,name,task_id,engine,queue,worker_name,started_at,finished_at,runtime_ms,attempt");
    expect(lines).toHaveLength(2);
    await dialog.getByText(/^Saved svc-tasks/).waitFor();
    expect(faults).toEqual([]);
  });

  test("that is too long reports the limit, and offers the newest part that fits", async () => {
    const { page } = await openTasks("?queue=billing");
    await row(page, "billing.charge failure").waitFor();
    await page.route(
      (url) => url.searchParams.has("format") && !url.searchParams.has("since"),
      (route) =>
        route.fulfill({
          status: 422,
          json: {
            error: "validation_error",
            message: "too many",
            details: { cap: 1, format: "csv", setting: "SVC_TASKS_EXPORT_MAX_ROWS" },
            request_id: "r",
          },
        }),
    );
    await page.getByRole("button", { name: "Export tasks" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Export/ })
      .click();
    const refused = page.getByText("Exports as csv are limited to 1 row.");
    await refused.waitFor();
    await page.getByRole("radio", { name: "JSON" }).check({ force: true });
    await refused.waitFor({ state: "detached" });
    await page.getByRole("radio", { name: "CSV" }).check({ force: true });
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Export/ })
      .click();
    await refused.waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Export the newest 1, since/ }).click();
    const lines = (await textOf(await saving)).trim().split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain("billing.run_invoices");
  });
});

test("deleting all matching tasks is offered to admins only", async () => {
  await reportAndWait(
    Array.from({ length: 230 }, (_, index) => sent(`many-${index}`, "many.one", "many", 900 + index)),
  );
  const { page } = await openTasks("?queue=many");
  await page.getByText("230 tasks match").waitFor();
  await page.locator("[role=row][id]").first().getByRole("checkbox").check({ force: true });
  await page.getByRole("button", { name: "Select all 230 matching" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("All tasks with queue: many.").waitFor();
  await page.getByRole("button", { name: "Delete 230 tasks" }).click();
  await page.getByText("No tasks match").waitFor();
  await page.context().close();

  const viewer = await openTasks("?queue=billing", shop.brain.as.viewer.cookie);
  await row(viewer.page, "billing.charge failure").getByRole("checkbox").check({ force: true });
  await viewer.page.getByText("1 selected").waitFor();
  expect(await viewer.page.getByRole("button", { name: /^Select all/ }).count()).toBe(0);
});

describe("a search", () => {
  test("is typed term by term, finds arguments, and its terms can be edited and removed", async () => {
    const { page, faults } = await openTasks();
    await row(page, "billing.charge failure").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("args.gateway:eu-1");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=args/);
    await row(page, "billing.charge failure").waitFor();
    await row(page, "emails.send_receipt success").waitFor({ state: "detached" });
    await page.getByText("1 shown").waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.getByRole("button", { name: "Edit term args.gateway:eu-1" }).click();
    const box = page.getByRole("combobox");
    expect(await box.inputValue()).toBe("args.gateway:eu-1");
    await box.fill("-state:failure");
    await page.keyboard.press("Enter");
    await row(page, "emails.send_receipt success").waitFor();
    await page.getByRole("button", { name: "Remove term -state:failure" }).click();
    await row(page, "billing.charge failure").waitFor();
    expect(faults).toEqual([]);
  });

  test("with an invalid term marks the term, and the list shows the server's error", async () => {
    const { page } = await openTasks("?q=queue:billing%20runtime:soon");
    await page.getByRole("button", { name: /^Edit term runtime:soon, invalid/ }).waitFor();
    await page.getByRole("heading", { name: "Invalid filter" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove term runtime:soon" }).click();
    await row(page, "billing.charge failure").waitFor();
  });
});
