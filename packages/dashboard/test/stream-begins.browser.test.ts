import { expect, test } from "vitest";
import { openScreen } from "./screen.ts";
import { openShop } from "./shop.ts";

const shop = openShop();

test.each([
  ["queues", "Queues", /\/queues\?/],
  ["workers", "Workers", /\/workers\?/],
  ["agents", "Agents", /\/agents(\?|$)/],
])("the list of %s is read again only once when the stream begins", async (path, heading, read) => {
  const { page, faults } = await openScreen(shop.browser, shop.brain, { cookie: shop.brain.as.root.cookie });
  let begin = () => {};
  const asked = new Promise<void>((resolve) => {
    void page.routeWebSocket(/ws\/dashboard/, (socket) => {
      socket.onMessage(() => resolve());
      begin = () => socket.send(JSON.stringify({ type: "ready", topics: [] }));
    });
  });
  const reads: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith("/api/") && read.test(pathname + search)) reads.push(pathname);
  });
  await page.goto(`/p/${shop.brain.project.slug}/${path}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.locator("main tbody tr").first().waitFor();
  await asked;
  await page.waitForLoadState("networkidle");

  const before = reads.length;
  begin();
  await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(reads.length - before).toBe(1);
  expect(faults).toEqual([]);
  await page.context().close();
});
