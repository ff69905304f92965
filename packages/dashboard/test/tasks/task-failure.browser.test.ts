import { waitFor } from "@svc/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { type ReportedEvent, report, trace } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, type Screen } from "../window/screen.ts";

const shop = openShop();

const sent = (taskId: string, data: Record<string, unknown>, ago = 5): ReportedEvent => ({
  kind: "task.sent",
  taskId,
  ago,
  data,
});

/** Every second task of a name fails, and only those use a certain gateway. */
function compared(index: number): ReportedEvent[] {
  const taskId = `cmp-${index}`;
  const hasFailed = index % 2 === 0;
  return [
    sent(taskId, { task_name: "cmp.charge", queue: "cmp", kwargs: { gateway: hasFailed ? "eu-1" : "us-1" } }, 90),
    { kind: "task.started", taskId, ago: 80, data: { worker: "cmp-1" } },
    hasFailed
      ? { kind: "task.failed", taskId, ago: 70, data: { exception: "CmpError: gateway gave up after 30 s" } }
      : { kind: "task.succeeded", taskId, ago: 70, data: {} },
  ];
}

const exception = "CmpError: gateway gave up after 30 s";

beforeAll(async () => {
  report(shop.connected, [
    ...Array.from({ length: 12 }, (_, index) => compared(index)).flat(),
    sent("cmp-other", { task_name: "cmp.charge_refund", queue: "cmp" }, 90),
    { kind: "task.failed", taskId: "cmp-other", ago: 70, data: { exception } },
    sent("retrying", { task_name: "cmp.retry", queue: "cmp" }, 60),
    { kind: "task.started", taskId: "retrying", ago: 50, data: { worker: "cmp-1", attempt: 0 } },
    { kind: "task.retried", taskId: "retrying", ago: 40, data: { attempt: 0, exception } },
  ]);
  await waitFor(async () => (await taskOf("retrying")).body.state === "retry");
});

const taskOf = (taskId: string) =>
  shop.brain.as.admin.get(`/projects/${shop.brain.project.slug}/tasks/scripted/${taskId}`);

async function openTask(taskId: string): Promise<Screen> {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  await screen.page.goto(`/p/${shop.brain.project.slug}/tasks/scripted/${taskId}`);
  return screen;
}

describe("why it failed", () => {
  test("is compared with succeeded tasks, and links to the same fingerprint", async () => {
    const { page } = await openTask("cmp-0");
    const panel = page.getByRole("region", { name: "What's different about the failures" });
    await panel
      .getByText("6 failures of this task name compared with 6 successes of the same name (last 24 h).")
      .waitFor();
    const row = panel.getByRole("row").filter({ hasText: "kwargs.gateway" });
    expect(await row.textContent()).toContain("100 %0 %");
    await panel.getByText("Correlation, not cause.").waitFor();
    expect(await axeFaults(page)).toEqual([]);

    const { fingerprint } = (await taskOf("cmp-0")).body;
    const same = page.getByRole("link", { name: "Same fingerprint: 7 in 24 h" });
    const query = new URL((await same.getAttribute("href")) ?? "", shop.brain.url).searchParams;
    expect([query.get("since"), query.get("q")]).toEqual(["-24h", `fingerprint:${fingerprint}`]);
    await panel.getByRole("link", { name: "View failures" }).click();
    await page.getByText("6 shown").waitFor();
  });

  test("is not compared with too few tasks", async () => {
    const { page } = await openTask("bad-1");
    await page.getByText("1 failure (last 24 h). A comparison needs at least 5.").waitFor();
  });

  test("links to similar failures while none is final", async () => {
    const { page } = await openTask("retrying");
    const like = page.getByRole("link", { name: "Similar failures" });
    const query = new URL((await like.getAttribute("href")) ?? "", shop.brain.url).searchParams;
    expect([query.get("state"), query.get("q")]).toEqual([
      "failure",
      'name:"cmp.retry" error:"CmpError" error:"gateway gave up after"',
    ]);
  });

  test("is shown by frame: libraries collapsed, innermost first or as printed, wrapped, copied", async () => {
    const { page, faults } = await openTask("bad-1");
    const panel = page.getByRole("region", { name: /^Failure/ });
    const traceback = panel.getByRole("region", { name: "Traceback" });
    await panel.getByText("1 own frame, 1 collapsed").waitFor();
    await traceback.getByText("gateway.ts").waitFor();
    const library = traceback.getByText("/bullmq/dist/worker.js");
    expect(await library.isVisible()).toBe(false);
    await traceback.getByText(/^1 library frame/).click();
    await library.waitFor();

    await panel.getByRole("radio", { name: "As printed" }).check({ force: true });
    await traceback.getByText(/^PaymentError: upstream 503\s+at GatewayClient\.post/).waitFor();
    const wrap = panel.getByRole("button", { name: "Wrap long lines" });
    await wrap.click();
    await expect.poll(() => wrap.getAttribute("aria-pressed")).toBe("true");
    await panel.getByRole("button", { name: "Copy traceback" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(trace);
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

test("events lost during a task's lifetime are shown above it", async () => {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  const { page } = screen;
  const received = Date.parse((await taskOf("bad-1")).body.received_at);
  const at = (second: number) => new Date(received + second * 1000).toISOString();
  const lost = { agent_id: "a", agent_name: "media-2", event_records: 31, other_frames: 0, reason: "capacity" };
  await page.route(/\/completeness/, (route) =>
    route.fulfill({
      json: {
        gaps: [
          { ...lost, from: at(5), to: at(10) },
          { ...lost, event_records: 7, from: at(-900), to: at(-800) },
        ],
        kept_since: at(-86_400),
        is_cut: false,
      },
    }),
  );
  await page.goto(`/p/${shop.brain.project.slug}/tasks/scripted/bad-1`);
  const gaps = page.getByRole("region", { name: "Lost events" });
  await gaps.getByText("31 events lost").waitFor();
  await gaps.getByText("Steps of this task may be missing.").waitFor();
  expect(await gaps.getByText("7 events lost").count()).toBe(0);
  await page.getByRole("img", { name: /^Received .*; 31 events lost, agent media-2, buffer full$/ }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
});
