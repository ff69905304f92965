import { join } from "node:path";
import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { report } from "../traffic/task-traffic.ts";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

/** The credentials in the command that the dialog shows. */
async function pasted(page: Page): Promise<{ token: string; hmacSecret: string }> {
  const text = await page.getByRole("dialog").getByRole("region", { name: "shell" }).textContent();
  const value = (name: string) => new RegExp(`${name}=(\\S+)`).exec(text ?? "")?.[1] ?? "";
  return { token: value("SVC_TOKEN"), hmacSecret: value("SVC_HMAC_SECRET") };
}

describe("onboarding from an empty project to its first task", () => {
  test("is one page that updates automatically", async () => {
    const { page, faults } = await openScreen(brain, { cookie: brain.as.root.cookie });
    await page.goto("/");
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByLabel("Name").fill("First steps");
    expect(await page.getByLabel("Slug").inputValue()).toBe("first-steps");
    await page.getByRole("dialog").getByRole("button", { name: "Create project" }).click();
    await page.getByText("Connect the first agent").waitFor();

    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("side-car-1");
    await page.getByRole("dialog").getByRole("button", { name: "Create agent" }).click();
    await page.getByText("Waiting for side-car-1 to connect").first().waitFor();
    const secrets = page.getByRole("dialog");
    const command = secrets.getByRole("region", { name: "shell" });
    const start = (redis: string) => `node svc-agent.mjs bullmq${redis} --brain ${brain.url}`;
    await expect.poll(() => command.textContent()).toContain(start(" --redis redis://127.0.0.1:6379"));
    expect(await command.textContent()).toContain(`curl -fsSO ${brain.url}/agent/svc-agent.mjs &&`);

    await secrets.getByLabel("Redis URL").fill("redis.example.com:6379");
    await secrets.getByText("Must be redis://HOST:PORT or rediss://HOST:PORT").waitFor();
    await secrets.getByLabel("Redis URL").fill("rediss://:opensesame@redis.example.com:6379");
    await expect.poll(() => command.textContent()).toContain(start(""));
    expect(await command.textContent()).toContain("export SVC_REDIS_URL=rediss://:opensesame@redis.example.com:6379\n");

    // Each secret appears once, with its own copy button.
    const { token, hmacSecret } = await pasted(page);
    const text = (await page.textContent("body")) ?? "";
    expect([text.split(token).length, text.split(hmacSecret).length]).toEqual([2, 2]);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await secrets.getByRole("button", { name: "Copy token" }).click();
    await expect.poll(copied).toBe(token);
    await secrets.getByRole("button", { name: "Copy HMAC secret" }).click();
    await expect.poll(copied).toBe(hmacSecret);

    const { body } = await brain.as.root.get("/projects/first-steps/agents");
    const connected = await brain.connectAgent({
      ...(await pasted(page)),
      agentId: body.items[0].id,
      bufferPath: join(brain.home, "pasted"),
    });
    await page.getByText("side-car-1 is connected").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await secrets.getByRole("button", { name: "Close dialog" }).click();
    await secrets.getByRole("alert").getByText("Save the credentials before you close this dialog.").waitFor();
    const done = page.getByRole("button", { name: "Close", exact: true });
    await expect.poll(() => done.getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("I've saved these credentials").check({ force: true });
    await done.click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.textContent("body")).not.toContain(token);

    report(connected, [{ kind: "task.sent", taskId: "first-1", data: { task_name: "first.task", queue: "q" } }]);
    await page.getByRole("link", { name: "first.task" }).waitFor();
    await page.getByRole("button", { name: "Open the overview" }).click();
    await page.getByRole("heading", { name: "Tasks by outcome" }).waitFor();
    await page
      .getByRole("navigation", { name: "Project" })
      .getByRole("link", { name: /^Tasks/ })
      .click();
    await page.getByRole("row", { name: "first.task pending" }).waitFor();

    // A project without tasks is not new if it had some.
    const tasks = "/projects/first-steps/tasks";
    const [task] = (await brain.as.root.get(tasks)).body.items;
    const deleted = await brain.as.root.post(`${tasks}/bulk-delete`, { task_ids: [task.id] });
    expect(deleted.body.deleted_count).toBe(1);
    await page.getByText("No tasks yet").waitFor();
    expect(await page.getByText("Connect the first agent").count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

describe("creating an agent", () => {
  test("with an existing name is refused at its field", async () => {
    await brain.mintAgent("taken");
    const { page } = await openScreen(brain, { cookie: brain.as.admin.cookie });
    await page.goto(`/p/${brain.project.slug}/agents`);
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("taken");
    await page.getByRole("dialog").getByRole("button", { name: "Create agent" }).click();
    await page.getByText("An agent with this name already exists.").waitFor();
  });

  test("is disabled for a viewer with the reason", async () => {
    await brain.mintAgent();
    const { page } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
    await page.goto(`/p/${brain.project.slug}/agents`);
    const button = page.getByRole("button", { name: "Create agent" });
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    await expect.poll(() => button.getAttribute("title")).toBe("Needs the admin role in this project");
    await button.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});

describe("an agent", () => {
  test("is shown as offline when it disconnects, and removed after it was revoked", async () => {
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
