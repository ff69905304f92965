import { randomUUID } from "node:crypto";
import { waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { report } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const shop = openShop();
/** Waits until the server reports an attention item of this kind: a page loaded earlier shows it only with its next read. */
const attentionTo = (attentionKind: string) =>
  waitFor(async () => {
    await shop.brain.runLoop("stats.fold-counters");
    const { body } = await shop.brain.as.root.get("/home/summary");
    return body.attention.find(({ kind }: { kind: string }) => kind === attentionKind);
  });
const open = (caller: "root" | "stranger" = "root") => openScreen(shop.brain, { cookie: shop.brain.as[caller].cookie });

/** A worker whose last heartbeat was six minutes ago, after three hours of work. */
function lostWorker(project_id: string, name: string) {
  const started = new Date(Date.now() - 3 * 3_600_000);
  return {
    id: randomUUID(),
    project_id,
    engine: "bullmq",
    name,
    hostname: null,
    pid: null,
    concurrency: null,
    queues: "[]",
    state: "offline",
    state_key: null,
    state_at: null,
    last_heartbeat: new Date(Date.now() - 360_000),
    load_average: null,
    memory_bytes: null,
    active_tasks: 0,
    metadata: "{}",
    details_at: null,
    created_at: started,
    updated_at: started,
  };
}

describe("the start page", () => {
  test("says first what needs attention, and leads to it", async () => {
    await attentionTo("failure_rate");
    const { page, faults } = await open();
    await page.goto("/");
    const attention = page.getByRole("region", { name: "Needs attention" });
    const sentence = attention.getByRole("link", { name: "50 % of the tasks that ended in the last 24 hours failed." });
    await sentence.click();
    await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
    expect(new URL(page.url()).searchParams.get("state")).toBe("failure");
    expect(faults).toEqual([]);
  });

  test("lists the projects by trouble, with their figures", async () => {
    await shop.brain.as.root.post("/projects", { slug: "asleep", name: "Asleep" });
    const { page } = await open();
    await page.goto("/");
    const rows = page.getByRole("table").getByRole("row");
    await page.getByRole("link", { name: "Asleep" }).waitFor();
    expect(await rows.nth(1).textContent()).toMatch(/^Shopshop.*degraded/);
    expect(await rows.nth(1).textContent()).toContain("1 of 1");
    expect(await rows.nth(2).textContent()).toMatch(/^Asleepasleep.*idle.*no finished tasks.*none yet.*none/);
    await rows
      .nth(1)
      .getByRole("img", { name: /^Shop: 2 tasks finished in 24 h/ })
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.getByRole("link", { name: "Shop" }).click();
    await page.getByRole("heading", { name: "Tasks by outcome" }).waitFor();
  });

  test("without its figures still leads into the projects", async () => {
    const { page } = await open();
    let isBroken = true;
    const refusal = { error: "unready", message: "the database is away", details: {}, request_id: "req-1" };
    await page.route("**/home/summary", (route) =>
      isBroken ? route.fulfill({ status: 503, json: refusal }) : route.continue(),
    );
    await page.goto("/");
    await page.getByText("Couldn't load project figures").waitFor();
    const rows = page.getByRole("region", { name: "Projects" }).getByRole("row");
    await rows.filter({ hasText: "Shop" }).getByText("unknown").waitFor();
    await rows.getByRole("link", { name: "Shop" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("region", { name: "Needs attention" }).waitFor();
  });

  test("explains an empty page to a user without projects", async () => {
    const { page } = await open("stranger");
    await page.goto("/");
    await page.getByText("You are not a member of any active project.").waitFor();
    expect(await page.getByRole("button", { name: "Create project" }).count()).toBe(0);
  });

  test("says that a failure became frequent, and leads to its tasks", async () => {
    // The last has the same type of error, but is another failure.
    const other = { task_name: "mail.bounce", exception: "SMTPError: mailbox full" };
    const spike = { task_name: "mail.send", exception: "SMTPError: no route to host" };
    report(
      shop.connected,
      [...Array<typeof spike>(12).fill(spike), other].flatMap(({ task_name, exception }, index) => [
        { kind: "task.sent", taskId: `spike-${index}`, ago: 60, data: { task_name, queue: "mail" } },
        { kind: "task.failed", taskId: `spike-${index}`, ago: 30, data: { exception } },
      ]),
    );
    const { fingerprint } = (await attentionTo("issue_spike")).issue;
    const { page } = await open();
    await page.goto("/");
    await page
      .getByRole("link", {
        name: "SMTPError in mail.send: 12 failures in the last hour, 0 in the six hours before.",
      })
      .click();
    await page.getByRole("row", { name: "mail.send failure" }).first().waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("state"), searchParams.get("q")]).toEqual(["failure", `fingerprint:${fingerprint}`]);
    await waitFor(async () => (await page.getByRole("row", { name: "mail.send failure" }).count()) === 12);
    expect(await page.getByRole("row", { name: "mail.bounce failure" }).count()).toBe(0);
  });

  test("shows the first dozen of many, with links only where a list shows what is meant", async () => {
    const { page } = await open();
    await page.route("**/home/summary", async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const attention = Array.from({ length: 15 }, (_, index) => ({
        kind: index % 2 === 0 ? "misfires" : "kind_of_a_newer_service",
        severity: "warning",
        project_id: `${index}`,
        project_slug: "shop",
        project_name: `Project ${index}`,
        message: "A schedule misfired.",
        count: 1,
        since: null,
      }));
      await route.fulfill({ response: answer, json: { ...body, attention } });
    });
    await page.goto("/");
    const part = page.getByRole("region", { name: "Needs attention" });
    await part.getByText("and 3 more in the projects below").waitFor();
    expect(await part.getByRole("listitem").count()).toBe(13);
    expect(await part.getByText(/^A schedule misfired/).count()).toBe(12);
    expect(await part.getByRole("link", { name: /^A schedule misfired/ }).count()).toBe(6);
    expect(await part.getByRole("link").count()).toBe(6);
  });

  test("says that workers are offline, and links to them", async () => {
    const { project, running } = shop.brain;
    const workers = [1, 2, 3, 4, 5].map((at) => lostWorker(project.id, `lost-${at}`));
    await running.brain.database.write(async (tx) => {
      // The two workers of the sample stay online, however long the tests before took.
      const last_heartbeat = new Date(Date.now() + 3_600_000);
      await tx.updateTable("workers").set({ state: "online", last_heartbeat }).execute();
      await tx.insertInto("workers").values(workers).execute();
    });
    await attentionTo("workers_missing");
    const { page } = await open();
    await page.goto("/");
    const row = page.getByRole("table").getByRole("row").filter({ hasText: "Shop" });
    expect(await row.textContent()).toMatch(/degraded.*2 of 7/);
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "5 of 7 workers are offline." }).click();
    await page.getByRole("heading", { level: 1, name: "Workers" }).waitFor();
    expect(new URL(page.url()).search).toBe("?filter=offline");
    await page
      .getByRole("navigation", { name: "Project" })
      .getByRole("link", { name: /^Workers ?, 5 offline$/ })
      .waitFor();
  });

  test("leads from an agent that is away to the agents that are", async () => {
    await shop.connected.agent.stop();
    await attentionTo("agents_offline");
    const { page } = await open();
    await page.goto("/");
    await page.getByRole("link", { name: /^Agent .* is offline[.]$/ }).click();
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    expect(new URL(page.url()).search).toBe("?filter=offline");
    await page.getByRole("row").getByText("offline", { exact: true }).waitFor();
  });
});
