import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ReportedEvent, report } from "../traffic/task-traffic.ts";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

// More tasks than one command takes: 205 failed and one revoked of one engine, two failed of another.
const failures = 205;
const traceback = "PaymentError: upstream 503\n    at post (/app/src/gateway.ts:87:11)";
const failed = (taskId: string, ago: number): ReportedEvent => ({
  kind: "task.failed",
  taskId,
  ago,
  data: { task_name: "pay.charge", queue: "pay", exception: "PaymentError: upstream 503", traceback },
});

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
  const tokens = ["bulk_retry", "retry_by_reference_v1"];
  const [bullmq, celery] = [createScriptedAdapter("bullmq", tokens), createScriptedAdapter("celery", tokens)];
  for (const engine of [bullmq, celery]) engine.answerCommands(async () => ({ status: "success" }));
  await brain.connectAgent({ engines: [bullmq, celery], heartbeatSeconds: 1 });
  // The older half failed over an hour ago.
  const ago = (at: number) => (at < failures / 2 ? 60 + at : 4_000 + at);
  report({ adapter: bullmq }, [
    ...Array.from({ length: failures }, (_, at) => failed(`bad-${at}`, ago(at))),
    { kind: "task.revoked", taskId: "revoked", ago: 30, data: { task_name: "pay.refund", queue: "pay" } },
  ]);
  report({ adapter: celery }, [failed("other-1", 40), failed("other-2", 50)]);
  await waitFor(async () => {
    const { body } = await brain.as.root.get(`/projects/${brain.project.slug}/tasks?include_total=true&limit=1`);
    return body.total_count === failures + 3;
  });
});
afterAll(() => brain?.stop());

async function open(path: string) {
  const screen = await openScreen(brain, { cookie: brain.as.operator.cookie });
  await screen.page.goto(`/p/${brain.project.slug}/${path}`);
  return screen;
}

interface Sent {
  filter: { engine: string; state?: string; task_ids: string[] };
  max: number;
}

/** The requests of the page in order: the end of the path and the body. */
function requestsOf(page: Page): [string, Sent][] {
  const sent: [string, Sent][] = [];
  page.on("request", (request: Request) => {
    const name = new URL(request.url()).pathname.split("/").at(-1) ?? "";
    if (request.method() === "POST" && /bulk-retry/.test(name)) sent.push([name, request.postDataJSON() as Sent]);
  });
  return sent;
}
const shapeOf = ([name, { filter, max }]: [string, Sent]) => ({
  name,
  engine: filter.engine,
  state: filter.state,
  ids: new Set(filter.task_ids).size,
  max,
});
const tray = (page: Page) => page.getByRole("region", { name: /^Commands/ });

describe("more tasks of an engine than one command takes", () => {
  test("are retried as bulk retries when selected", async () => {
    const { page, faults } = await open("tasks");
    const sent = requestsOf(page);
    const bar = page.getByRole("region", { name: "Selected tasks" });
    const grid = page.getByRole("grid");
    await waitFor(async () => {
      await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return (await page.getByText("End of list").count()) > 0;
    });
    await page.getByRole("checkbox", { name: "Select all loaded rows" }).check({ force: true });
    await bar.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry 208 tasks" });
    await dialog.getByText("206 of bullmq, as a bulk retry").waitFor();
    await dialog.getByText("2 of celery, by agent").waitFor();
    await dialog.getByRole("button", { name: "Retry 208 tasks" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(sent.map(shapeOf).toSorted((a, b) => b.ids - a.ids)).toEqual([
      { name: "bulk-retry-requests", engine: "bullmq", state: "failure", ids: failures, max: failures },
      { name: "bulk-retry", engine: "celery", state: undefined, ids: 2, max: 2 },
      { name: "bulk-retry-requests", engine: "bullmq", state: "revoked", ids: 1, max: 1 },
    ]);
    await tray(page).getByRole("link", { name: "Retry 205 tasks of bullmq" }).click();
    await page.waitForURL(/[/]bulk-retries[/]/);
    await page.getByText("205 selected").waitFor();
    expect(faults).toEqual([]);
  });

  test("are all retried from their issue, regardless of the time range", async () => {
    const [issue] = (await brain.as.operator.get(`/projects/${brain.project.slug}/issues`)).body.items;
    const { page, faults } = await open(`issues/${issue.fingerprint}?since=-1h`);
    const sent = requestsOf(page);
    const inRange = page.getByText(/^Still failing/).locator("..");
    await inRange.waitFor();
    expect(await inRange.textContent()).toContain("105");
    await page.getByRole("button", { name: "Retry all 207 tasks" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry 207 tasks" });
    await dialog.getByRole("button", { name: "Retry 207 tasks" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(sent.map(shapeOf).toSorted((a, b) => b.ids - a.ids)).toEqual([
      { name: "bulk-retry-requests", engine: "bullmq", state: "failure", ids: failures, max: failures },
      { name: "bulk-retry", engine: "celery", state: undefined, ids: 2, max: 2 },
    ]);
    expect(faults).toEqual([]);
  });
});
