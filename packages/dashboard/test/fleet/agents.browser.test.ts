import { join } from "node:path";
import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tell } from "../traffic/task-traffic.ts";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

/** What a person would paste: the values behind the two names in the environment snippet. */
async function pasted(page: Page): Promise<{ token: string; hmacSecret: string }> {
  const text = await page.getByRole("dialog").getByRole("region", { name: "environment" }).textContent();
  const value = (name: string) => new RegExp(`${name}=(\\S+)`).exec(text ?? "")?.[1] ?? "";
  return { token: value("SVC_TOKEN"), hmacSecret: value("SVC_HMAC_SECRET") };
}

describe("the way from an empty project to its first task", () => {
  test("is walked on one page that ticks itself", async () => {
    const { page, faults } = await openScreen(brain, { cookie: brain.as.root.cookie });
    await page.goto("/");
    await page.getByRole("button", { name: "New project" }).click();
    await page.getByLabel("Name").fill("First steps");
    expect(await page.getByLabel("Slug").inputValue()).toBe("first-steps");
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByText("Connect the first agent").waitFor();

    await page.getByRole("button", { name: "Mint agent" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("side-car-1");
    await page.getByRole("dialog").getByRole("button", { name: "Mint agent" }).click();
    await page.getByText("Waiting for the first hello of side-car-1").first().waitFor();
    const command = await page
      .getByRole("dialog")
      .getByRole("region", { name: /^shell/ })
      .textContent();
    expect(command).toContain(`npx svc agent bullmq --redis redis://127.0.0.1:6379 --brain ${brain.url}`);

    const { body } = await brain.as.root.get("/projects/first-steps/agents");
    const connected = await brain.connectAgent({
      ...(await pasted(page)),
      agentId: body.items[0].id,
      bufferPath: join(brain.home, "pasted"),
    });
    await page.getByText("side-car-1 is connected").first().waitFor();
    const secrets = page.getByRole("dialog");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await secrets.getByRole("button", { name: "Close" }).click();
    await secrets.getByRole("alert").getByText("Store both first; they cannot be shown again.").waitFor();
    const done = page.getByRole("button", { name: "Done" });
    await expect.poll(() => done.getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("I have stored both").check({ force: true });
    await done.click();
    await page.getByRole("dialog").waitFor({ state: "detached" });

    tell(connected, [{ kind: "task.sent", taskId: "first-1", data: { task_name: "first.task", queue: "q" } }]);
    await page.getByRole("link", { name: "first.task" }).waitFor();
    await page.getByRole("button", { name: "Open the overview" }).click();
    await page.getByRole("heading", { name: "Throughput by outcome" }).waitFor();
    await page
      .getByRole("navigation", { name: "Project" })
      .getByRole("link", { name: /^Tasks/ })
      .click();
    await page.getByRole("row", { name: "first.task pending" }).waitFor();

    // An emptied project is not a new one.
    const tasks = "/projects/first-steps/tasks";
    const [task] = (await brain.as.root.get(tasks)).body.items;
    const deleted = await brain.as.root.post(`${tasks}/bulk-delete`, { task_ids: [task.id] });
    expect(deleted.body.deleted_count).toBe(1);
    await page.getByText("No task yet").waitFor();
    expect(await page.getByText("Connect the first agent").count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

describe("minting", () => {
  test("an existing name is refused where it was typed", async () => {
    await brain.mintAgent("taken");
    const { page } = await openScreen(brain, { cookie: brain.as.admin.cookie });
    await page.goto(`/p/${brain.project.slug}/agents`);
    await page.getByRole("button", { name: "Mint agent" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("taken");
    await page.getByRole("dialog").getByRole("button", { name: "Mint agent" }).click();
    await page.getByText("An agent of this name exists already.").waitFor();
  });

  test("is shown to a viewer as something for admins", async () => {
    await brain.mintAgent();
    const { page } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
    await page.goto(`/p/${brain.project.slug}/agents`);
    const button = page.getByRole("button", { name: "Mint agent" });
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    await expect.poll(() => button.getAttribute("title")).toBe("Needs the admin role in this project");
    await button.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});

describe("an agent", () => {
  test("turns offline on the page when it leaves, and is gone after it was revoked", async () => {
    const { page, faults } = await openScreen(brain, { cookie: brain.as.admin.cookie });
    const { agent, minted } = await brain.connectAgent();
    await page.goto(`/p/${brain.project.slug}/agents/${minted.agentId}`);
    await page.locator("main").getByText("online", { exact: true }).first().waitFor();

    await agent.stop();
    await page.locator("main").getByText("offline", { exact: true }).first().waitFor();

    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke agent" }).click();
    await page.waitForURL("**/agents");
    const { body } = await brain.as.admin.get(`/projects/${brain.project.slug}/agents`);
    expect(body.items.map((one: { id: string }) => one.id)).not.toContain(minted.agentId);
    expect(faults).toEqual([]);
  });
});
