import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reportSample } from "../traffic/task-traffic.ts";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;

beforeAll(async () => {
  brain = await startBrainWithSite();
  await reportSample(brain, await brain.connectAgent());
});
afterAll(() => brain?.stop());

describe("the first screen", () => {
  test("lists tasks and follows them after at most 16 requests", async () => {
    const { page, faults } = await openScreen(brain, { cookie: brain.as.root.cookie });
    const requests: string[] = [];
    page.on("request", (request) => {
      const { origin, pathname, search } = new URL(request.url());
      // The count of issues in the rail is read after the page's own reads.
      if (origin === brain.url && !pathname.endsWith("/issues")) requests.push(pathname + search);
    });
    await page.goto(`/p/${brain.project.slug}/tasks`);
    await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    await page.waitForLoadState("networkidle");

    // The stream's own connection does not count as a request, but the reads that close the gap before it do.
    expect(requests).toSatisfy((all: string[]) => all.length <= 16);
    expect(new Set(requests.filter((path) => !path.startsWith("/api/"))).size).toBeLessThanOrEqual(8);
    expect(faults).toEqual([]);
  });

  test.each([
    ["the task list", "tasks"],
    ["the overview", ""],
    ["the list of agents", "agents"],
  ])("%s loads no more than eight files", async (_name, path) => {
    expect((await filesOf(`/p/${brain.project.slug}/${path}`)).size).toBeLessThanOrEqual(8);
  });

  test("a task's page loads no more than eight files, and no other to say why the task waits", async () => {
    const filesOfTask = async (taskId: string) =>
      [...(await filesOf(`/p/${brain.project.slug}/tasks/scripted/${taskId}`))].sort();
    const files = await filesOfTask("ok-1");
    expect(files.length).toBeLessThanOrEqual(8);
    const more = (await filesOfTask("wait-1")).filter((file) => !files.includes(file) && !file.includes("/tasks/"));
    expect(more).toEqual([]);
  });
});

/** The files that a page loads until the network is idle, including its document, but without API reads. */
async function filesOf(path: string): Promise<Set<string>> {
  const { page, faults } = await openScreen(brain, { cookie: brain.as.root.cookie });
  const files = new Set<string>();
  page.on("request", (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === brain.url && !pathname.startsWith("/api/")) files.add(pathname);
  });
  await page.goto(path);
  await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(faults).toEqual([]);
  await page.context().close();
  return files;
}
