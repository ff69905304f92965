import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectFleet, type Fleet, fleetSnapshot, noteLoss } from "../traffic/fleet.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let fleet: Fleet;
beforeAll(async () => {
  brain = await startBrainWithSite();
  fleet = await connectFleet(brain);
  await noteLoss(brain, fleet.agentId, { fromAgo: 3700, toAgo: 3600 });
});
afterAll(() => brain?.stop());

const at = (path: string) => `/p/${brain.project.slug}/${path}`;
const open = (path: string, options: Parameters<typeof openScreen>[1] = {}) =>
  openScreen(brain, { cookie: brain.as.viewer.cookie, ...options }).then(async (screen) => {
    await screen.page.goto(at(path));
    return screen;
  });
const rowNames = (page: Page) => page.locator("tbody tr td a b").allTextContents();
const workerId = async (name: string): Promise<string> => {
  const { body } = await brain.as.viewer.get(`/projects/${brain.project.slug}/workers`);
  return body.items.find((worker: { name: string }) => worker.name === name).id;
};

describe("the queues", () => {
  test("list a queue without workers first, with a sentence", async () => {
    const { page, faults } = await open("queues");
    await page.getByText("18 waiting tasks in 1 queue without workers.").waitFor();
    expect((await rowNames(page))[0]).toBe("search-bulk");
    const row = page.getByRole("row", { name: /billing/ });
    await row.getByText("long wait").waitFor();
    await row.getByText("<0.1").first().waitFor();
    expect(await row.getByRole("link", { name: "1 failed in billing" }).getAttribute("href")).toBe(
      at("tasks?queue=billing&q=engine:bullmq&state=failure&since=-1h"),
    );
    expect(faults).toEqual([]);
  });

  test("are filtered by typing, in the URL, and reset by one button", async () => {
    const { page } = await open("queues");
    await page.getByRole("row", { name: /emails/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("mail bullmq");
    await page.waitForURL("**/queues?filter=mail+bullmq");
    await waitFor(async () => (await rowNames(page)).join() === "emails");
    await page.keyboard.type(" nothing");
    await page.getByText("No queues match").waitFor();
    await page.getByRole("button", { name: "Clear filter" }).last().click();
    await waitFor(async () => (await rowNames(page)).length === 4);
  });

  test("keep their order while hovered, and are sorted afterwards", async () => {
    const { page } = await open("queues");
    await page.getByRole("row", { name: /emails/ }).hover();
    const before = await rowNames(page);
    const snapshot = fleetSnapshot();
    fleet.report({
      ...snapshot,
      queue_depths: { ...snapshot.queue_depths, reports: 7 },
      queue_consumers: { ...snapshot.queue_consumers, reports: 0 },
    });
    await page.getByText("25 waiting tasks in 2 queues without workers.").waitFor();
    expect(await rowNames(page)).toEqual(before);
    await page.getByRole("heading", { level: 1, name: "Queues" }).hover();
    await waitFor(async () => (await rowNames(page)).indexOf("reports") === 1);
    fleet.report(fleetSnapshot());
  });

  test("are still listed when their rates can't be loaded", async () => {
    const { page } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
    await page.route("**/queues/activity*", (route) => route.abort());
    await page.goto(at("queues"));
    await page.getByText("Couldn't load rates and charts").waitFor();
    expect(await rowNames(page)).toHaveLength(4);
    await page.unroute("**/queues/activity*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Couldn't load rates and charts").waitFor({ state: "detached" });
  });
});

describe("one queue", () => {
  test("shows its times, states, failures and workers, with links", async () => {
    const { page, faults } = await open("queues");
    await page.getByRole("link", { name: "billing", exact: true }).click();
    await page.waitForURL("**/queues/bullmq/billing");
    await page.getByText("The oldest task has been waiting for more than 5 minutes.").waitFor();
    const part = (name: string) => page.getByRole("region", { name, exact: true });
    await part("Waiting tasks")
      .getByRole("img", { name: /^Waiting tasks: 194 at the end/ })
      .waitFor();
    await part("Waiting time").getByText("(3 measured)").waitFor();
    await part("Waiting time").getByRole("radio", { name: "run" }).check();
    await part("Run time").getByText("(1 measured)").waitFor();
    await part("Waiting tasks").getByRole("button", { name: "Show table: Waiting tasks" }).click();
    await part("Waiting tasks").getByRole("cell", { name: "194" }).first().waitFor();
    await part("Tasks by state").getByRole("link", { name: "2 tasks in state started" }).waitFor();
    await part("Recent failures").getByText("PaymentError: upstream 503 after 30 s").waitFor();
    await part("Workers").getByRole("link", { name: "billing-1" }).click();
    await page.getByRole("heading", { level: 1, name: "billing-1" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("that does not exist is not found", async () => {
    const { page } = await open("queues/bullmq/nope");
    await page.getByText("Not found.").waitFor();
  });

  test("keeps the rest when one part can't be loaded", async () => {
    const { page } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
    await page.route("**/latency*", (route) => route.abort());
    await page.goto(at("queues/bullmq/emails"));
    await page.getByText("Couldn't load waiting time").waitFor();
    await page.getByText("No tasks of this queue failed").waitFor();
  });
});

describe("the workers", () => {
  test("show which are at capacity and what each runs", async () => {
    const { page, faults } = await open("workers");
    await page.getByText("at capacity").waitFor();
    expect(await rowNames(page)).toEqual(["billing-1", "mailer-1"]);
    await page.getByRole("link", { name: "billing-1", exact: true }).click();
    const inHand = page.getByRole("region", { name: "Running now", exact: true });
    await inHand.getByRole("link", { name: "billing.charge" }).first().waitFor();
    expect(await inHand.locator("tbody tr").count()).toBe(2);
    await page.getByRole("region", { name: "Recent failures", exact: true }).getByText("PaymentError").waitFor();
    await page.getByRole("link", { name: "billing", exact: true }).first().waitFor();
    await page.getByText("conf", { exact: true }).click();
    await page.getByText('"worker_concurrency": 4').waitFor();
    expect(faults).toEqual([]);
  });

  test("that report running tasks without task events are shown as reported", async () => {
    const { page } = await open(`workers/${await workerId("mailer-1")}`);
    await page.getByText("Reports 3 running tasks, but no matching task events have arrived.").waitFor();
  });
});

describe("the agents", () => {
  test("show the reason of their state, their capabilities and losses", async () => {
    const { page, faults } = await open("agents");
    const row = page.getByRole("row", { name: /online/ });
    await row.getByText(/^connected for/).waitFor();
    await row.getByText("retry task").waitFor();
    await row.getByText("and 1 more").waitFor();
    await row.getByText("31 events lost").waitFor();
    await row.getByText("protocol 2").waitFor();
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Event losses" }).waitFor();
    await page.getByText("31 events lost").waitFor();
    await page.getByText("buffer full").last().waitFor();
    await page.getByRole("heading", { name: "Buffer and connection" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("put a band between rows for the time in which they lost events", async () => {
    const { page } = await open("queues/bullmq/billing");
    const failures = page.getByRole("region", { name: "Recent failures", exact: true });
    await failures.getByText("Tasks from this time may be missing or have an unknown outcome.").waitFor();
    await failures.getByRole("link", { name: /^Agent / }).click();
    await page.waitForURL(`**/agents/${fleet.agentId}`);
  });

  test("show an admin what stops before they are revoked", async () => {
    const { page } = await open(`agents/${fleet.agentId}`, { cookie: brain.as.admin.cookie });
    await page.getByRole("cell", { name: "online" }).first().waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/It stops watching bullmq/).waitFor();
    await dialog.getByText("1 process will be disconnected.").waitFor();
    await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("show how to start an agent as a separate process or inside the application", async () => {
    const minted = await brain.mintAgent("newcomer");
    const { page, faults } = await open(`agents/${minted.agentId}`);
    await page.getByText("node svc-agent.mjs bullmq").waitFor();
    await page.getByRole("radio", { name: "Inside the application" }).check();
    await page.getByText("attachBullmq({ redis, workers: [worker] })").waitFor();
    await page.locator("main").getByText("not connected yet", { exact: true }).waitFor();
    // It is not a problem, so the sidebar does not count it.
    await page
      .getByRole("navigation", { name: "Project" })
      .getByRole("link", { name: /^Agents$/ })
      .waitFor();
    expect(faults).toEqual([]);
  });
});

describe.each(["light", "dark"] as const)("in %s", (theme) => {
  describe.each(["desktop", "phone"] as const)("on a %s", (size) => {
    test.each(["queues", "queues/bullmq/billing", "workers", "worker", "agents", "agent"])(
      "%s has no accessibility or layout faults",
      async (name) => {
        const ids = { worker: `workers/${await workerId("billing-1")}`, agent: `agents/${fleet.agentId}` };
        const { page, faults } = await open(ids[name as keyof typeof ids] ?? name, { theme, size });
        await page.locator("main h1").waitFor();
        await page.locator("main tbody tr").first().waitFor();
        expect(await axeFaults(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
        expect(faults).toEqual([]);
      },
    );
  });
});
