import { join } from "node:path";
import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import type { PageCase } from "../site/page-case.ts";
import { type ReportedEvent, report } from "./task-traffic.ts";

/** More tasks than the list keeps in memory, so that it reaches its limit. */
const tasks = 10_100;
const perBatch = 500;

const names = ["billing.charge", "emails.send_receipt", "media.render_pdf", "search.reindex"];

/** One event per task: mostly finished, some failed, some running, some waiting. */
function event(index: number): ReportedEvent {
  const name = names[index % names.length] ?? "";
  const known = { task_name: name, queue: name.split(".", 1)[0] ?? "", worker: `worker-${index % 7}` };
  const base = { taskId: `long-${index}`, ago: (tasks - index) / 4 };
  if (index % 23 === 0) return { ...base, kind: "task.failed", data: { ...known, exception: "SMTPError: no route" } };
  if (index % 41 === 0) return { ...base, kind: "task.started", data: known };
  if (index % 53 === 0) return { ...base, kind: "task.sent", data: { ...known, priority: "high" } };
  return { ...base, kind: "task.succeeded", data: { ...known, runtime_ms: 40 + (index % 900) } };
}

/** Creates the project `long` with more tasks than a list can hold. */
export async function fillLongList(brain: TestBrain): Promise<void> {
  const { slug } = await brain.addProject("long", "Long");
  const { body } = await brain.as.root.post(`/projects/${slug}/agents`, { name: "long-1" });
  const connected = await brain.connectAgent({
    agentId: body.agent.id,
    token: body.token,
    hmacSecret: body.hmac_secret,
    bufferPath: join(brain.home, "long-list"),
  });
  for (let start = 0; start < tasks; start += perBatch) {
    const some = Math.min(perBatch, tasks - start);
    report(
      connected,
      Array.from({ length: some }, (_, index) => event(start + index)),
    );
  }
  const listed = async () => (await brain.as.root.get(`/projects/${slug}/stats`)).body.tasks_total >= tasks;
  await waitFor(listed);
}

/** Scrolls until the list is full. */
async function scrollToEnd(page: Page): Promise<void> {
  const grid = page.getByRole("grid");
  await grid.waitFor();
  const atEnd = page.getByText("10,000 tasks are loaded");
  await waitFor(async () => {
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    return atEnd.isVisible();
  });
}

/** The task list with 10,000 rows in memory; `fillLongList` stores them. */
export const longPages: Readonly<Record<string, PageCase>> = {
  "ten thousand tasks": { path: () => "/p/long/tasks", title: /^Tasks, long/, ready: scrollToEnd },
};
