import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandAgent, connectCommandAgent } from "../traffic/command-agent.ts";
import { holdReads } from "../window/delayed-reads.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let agent: CommandAgent;
beforeAll(async () => {
  brain = await startBrainWithSite();
  agent = await connectCommandAgent(brain);
  await brain.as.operator.post("/projects/shop/saved-views", { name: "Night shift", filters: { queue: "emails" } });
});
afterAll(() => brain?.stop());

async function open(path = "settings/members", heading = "Members") {
  const screen = await openScreen(brain, { cookie: brain.as.operator.cookie });
  await screen.page.goto(`/p/shop/${path}`);
  await screen.page.getByRole("heading", { level: 1, name: heading }).waitFor();
  return screen;
}
const search = async (page: Page, text: string) => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(text);
};
const group = (page: Page, name: string) => page.getByRole("group", { name, exact: true }).getByRole("option");

describe("the palette", () => {
  test.each([
    ["search-b", "Queues", /^search-bulk/, /\/queues\/bullmq\/search-bulk$/],
    ["mailer-1", "Workers", /^mailer-1/, /\/workers\/[\w-]+$/],
    ["agent-0", "Agents", /^agent-0/, /\/agents\/[\w-]+$/],
    ["PaymentE", "Issues", /^PaymentError: upstream <n>/, /\/issues\/\w+$/],
    ["night", "Saved views", /^Night shift/, /\/tasks\?.*queue=emails/],
  ])("finds %s among the %s, and leads there by Enter", async (text, name, label, address) => {
    const { page, faults } = await open();
    await search(page, text);
    await group(page, name).filter({ hasText: label }).first().waitFor();
    expect(await page.getByRole("option").first().textContent()).toMatch(label);
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(address);
    expect(faults).toEqual([]);
  });

  test("reads the lists when typing begins, each once, and says what could not be loaded", async () => {
    const { page } = await open();
    const reads: string[] = [];
    page.on("request", (request) => reads.push(new URL(request.url()).pathname.replace("/api/v1/projects/shop/", "")));
    await page.route("**/workers*", (route) => route.abort());
    const release = await holdReads(page, "**/queues*");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    expect(reads.filter((path) => ["queues", "workers", "issues"].includes(path))).toEqual([]);
    await page.keyboard.type("bill");
    await page.getByText("Loading more results…").first().waitFor();
    await release();
    await group(page, "Queues").filter({ hasText: "billing" }).waitFor();
    await page.getByText("Some results couldn't be loaded.").first().waitFor();
    await page.keyboard.type("ing");
    await group(page, "Queues").filter({ hasText: "billing" }).waitFor();
    expect(reads.filter((path) => path === "queues" || path === "issues").toSorted()).toEqual(["issues", "queues"]);
  });

  test("offers actions for the selected tasks", async () => {
    const { page } = await open("tasks?state=failure", "Tasks");
    await page.getByRole("checkbox", { name: /bad-1$/ }).check({ force: true });
    await page.getByRole("region", { name: "Selected tasks" }).getByRole("button", { name: "Retry" }).waitFor();
    await search(page, "retry");
    await group(page, "Selected tasks").filter({ hasText: "Retry selected tasks1 selected" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Retry 1 task" }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => agent.got.map(({ action }) => action)).toEqual(["bulk_retry"]);
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Dark theme" }).waitFor({ state: "attached" });
    expect(await group(page, "Selected tasks").count()).toBe(0);
  });
});
