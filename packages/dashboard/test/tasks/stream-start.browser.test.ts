import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();

test.each([
  ["queues", "Queues", /\/queues\?/],
  ["workers", "Workers", /\/workers\?/],
  ["agents", "Agents", /\/agents(\?|$)/],
])("the list of %s is read only once more when the stream starts", async (path, heading, read) => {
  const readAgain = await readsAtBegin(path, async (page) => {
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.locator("main tbody tr").first().waitFor();
  });
  expect(readAgain.filter((address) => read.test(address))).toHaveLength(1);
});

test("a task, its events and its family are each read only once more when the stream starts", async () => {
  const { body } = await shop.brain.as.root.get(`/projects/${shop.brain.project.slug}/tasks?limit=1`);
  const [{ engine, task_id }] = body.items;
  const readAgain = await readsAtBegin(`tasks/${engine}/${encodeURIComponent(task_id)}`, (page) =>
    page.getByRole("navigation", { name: "Task parts" }).waitFor(),
  );
  const task = `/tasks/${engine}/${encodeURIComponent(task_id)}`;
  for (const part of [`${task}$`, "/events\\?", `${task}/tree$`]) {
    expect(readAgain.filter((address) => new RegExp(part).test(address))).toHaveLength(1);
  }
});

/** URLs that a page requests in the first seconds of its stream. */
async function readsAtBegin(path: string, shown: (page: Page) => Promise<void>): Promise<string[]> {
  const { page, faults } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
  let begin = () => {};
  const asked = Promise.withResolvers<void>();
  await page.routeWebSocket(/ws\/dashboard/, (socket) => {
    socket.onMessage(() => asked.resolve());
    begin = () => socket.send(JSON.stringify({ type: "ready", topics: [] }));
  });
  const reads: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith("/api/")) reads.push(pathname + search);
  });
  await page.clock.install();
  await page.goto(`/p/${shop.brain.project.slug}/${path}`);
  await shown(page);
  await asked.promise;
  await page.waitForLoadState("networkidle");

  const before = reads.length;
  begin();
  await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
  // Delayed requests have been sent by then.
  await page.clock.runFor(2_000);
  await page.evaluate(() => fetch("/api/v1/auth/me"));
  await page.context().close();
  expect(faults).toEqual([]);
  return reads.slice(before);
}
