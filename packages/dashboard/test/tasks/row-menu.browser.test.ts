import { waitFor } from "@svc/testkit";
import type { TestBrain, TestRole } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { actions, type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
beforeAll(async () => {
  brain = await startBrainWithSite();
  const tokens = actions.filter((action) => action !== "cancel_task");
  agent = await connectCommandAgent(brain, [...tokens, "retry_by_reference_v1"]);
});
afterAll(() => brain?.stop());
beforeEach(() => {
  agent.got.length = 0;
});

const rowOf = (page: Page, id: string) => page.locator("[role=row][id]").filter({ hasText: id });
const menu = (page: Page) => page.getByRole("group", { name: /^Actions for/ });
async function openAs(role: TestRole) {
  const screen = await openScreen(brain, { cookie: brain.as[role].cookie });
  await screen.page.goto(`/p/${brain.project.slug}/tasks`);
  await rowOf(screen.page, "wait-1").waitFor();
  return screen;
}

describe("the menu of a row", () => {
  test("opens by keyboard below the current row, supports arrow keys, and restores focus", async () => {
    const { page, faults } = await openAs("operator");
    await rowOf(page, "bad-1").focus();
    await page.keyboard.press("m");
    await menu(page).waitFor();
    await menu(page).getByText("billing.charge").first().waitFor();
    expect(await menu(page).getByRole("button", { name: "Open in side panel" }).evaluate(isFocused)).toBe(true);
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    expect(await menu(page).getByRole("link", { name: "Open full page" }).evaluate(isFocused)).toBe(true);
    await page.keyboard.press("Escape");
    await menu(page).waitFor({ state: "detached" });
    await expect.poll(() => rowOf(page, "bad-1").evaluate(isFocused)).toBe(true);
    expect(faults).toEqual([]);
  });

  test("opens by its button, retries a finished task, and explains disabled actions", async () => {
    const { page } = await openAs("operator");
    await rowOf(page, "bad-1").hover();
    await rowOf(page, "bad-1")
      .getByRole("button", { name: /^Actions for/ })
      .click();
    const cancel = menu(page).getByRole("button", { name: /^Cancel/ });
    await cancel.getByText("No online agent for bullmq can cancel tasks").waitFor();
    await cancel.click({ force: true });
    expect(await menu(page).isVisible()).toBe(true);
    await menu(page)
      .getByRole("button", { name: /^Retry/ })
      .click();
    await page
      .getByRole("dialog", { name: "Retry billing.charge" })
      .getByRole("button", { name: "Retry task" })
      .click();
    await waitFor(() => agent.got.length === 1);
    expect([agent.got[0]?.action, agent.got[0]?.parameters.task_id]).toEqual(["retry_task", "bad-1"]);
  });

  test("copies, selects, filters and links to other pages", async () => {
    const { page } = await openAs("viewer");
    const choose = async (id: string, label: string) => {
      await rowOf(page, id).focus();
      await page.keyboard.press("m");
      await menu(page).getByText(label, { exact: true }).click();
      await menu(page).waitFor({ state: "detached" });
    };
    await choose("bad-1", "Copy id");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("bad-1");
    await choose("bad-1", "Select");
    await page.getByText("1 selected").waitFor();
    await choose("bad-1", "Deselect");
    await page.getByText("1 selected").waitFor({ state: "detached" });
    await choose("bad-1", "Open in side panel");
    await page.getByRole("dialog").getByText("PaymentError", { exact: true }).waitFor();
    await page.keyboard.press("u");
    await choose("bad-1", "Show only this task name");
    await rowOf(page, "wait-1").waitFor({ state: "detached" });
    await choose("bad-1", "View issue");
    await page.getByRole("heading", { level: 1, name: "PaymentError" }).waitFor();
  });

  test("offers a viewer only allowed actions", async () => {
    const { page } = await openAs("viewer");
    await rowOf(page, "bad-1").focus();
    await page.keyboard.press("m");
    for (const name of [/^Retry/, /^Cancel/]) {
      const entry = menu(page).getByRole("button", { name });
      await entry.getByText("Needs the operator role in this project").waitFor();
      await expect.poll(() => entry.getAttribute("aria-disabled")).toBe("true");
    }
  });
});

const isFocused = (element: Element) => element === document.activeElement;
