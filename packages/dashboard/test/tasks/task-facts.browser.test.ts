import { waitFor } from "@svc/testkit";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { report } from "../traffic/task-traffic.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();
const tasksPath = () => `/projects/${shop.brain.project.slug}/tasks`;

beforeAll(async () => {
  const eta = new Date(Date.now() + 3_600_000).toISOString();
  report(shop.connected, [
    {
      kind: "task.sent",
      taskId: "later-1",
      ago: 20,
      data: { task_name: "later.one", queue: "later", eta, release: "2026.11.3", tags: ["vip"] },
    },
  ]);
  await waitFor(async () => (await shop.brain.as.admin.get(`${tasksPath()}/scripted/later-1`)).status === 200);
});

async function open(path: string): Promise<Page> {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  await page.goto(`/p/${shop.brain.project.slug}/tasks${path}`);
  return page;
}
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

describe("the header of a task", () => {
  test("shows how long it still waits, and links to its queue, release and tags", async () => {
    const page = await open("/scripted/later-1");
    await page.getByText(/^earliest start in (59 min|1 h)/).waitFor();
    const hrefOf = async (name: string) =>
      decodeURIComponent((await page.getByRole("link", { name, exact: true }).getAttribute("href")) ?? "");
    const project = `/p/${shop.brain.project.slug}`;
    expect(await hrefOf("later")).toBe(`${project}/queues/scripted/later`);
    expect(await hrefOf("2026.11.3")).toBe(`${project}/tasks?q=release:"2026.11.3"`);
    expect(await hrefOf("vip")).toBe(`${project}/tasks?q=tag:"vip"`);
  });

  test("copies its URL and its fields", async () => {
    const page = await open("/scripted/later-1");
    const copy = async (label: string) => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: label }).click();
    };
    await copy("Copy link");
    await expect.poll(() => copied(page)).toBe(`${shop.brain.url}/p/${shop.brain.project.slug}/tasks/scripted/later-1`);
    await copy("Copy as JSON");
    await expect.poll(async () => (await copied(page)).startsWith("{")).toBe(true);
    expect(JSON.parse(await copied(page))).toMatchObject({ task_id: "later-1", release: "2026.11.3" });
  });
});

test("a family larger than shown says so", async () => {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  await page.route(/\/tree$/, async (route) => {
    const tree = await (await route.fetch()).json();
    await route.fulfill({ json: { ...tree, truncated: true } });
  });
  await page.goto(`/p/${shop.brain.project.slug}/tasks/scripted/root-1`);
  await page.getByText("Only the first 500 tasks of the family are shown.").waitFor();
});

test("the ids of selected tasks are copied, and over ten thousand are deleted in several requests", async () => {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  await page.route(/\/api\/.*\/tasks\?/, async (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.has("cursor"))
      return route.fulfill({ json: { items: [], next_cursor: "more", total_count: null } });
    const answer = await (await route.fetch()).json();
    const extra = searchParams.has("include_total") ? { total_count: 12_345 } : { next_cursor: "more" };
    await route.fulfill({ json: { ...answer, ...extra } });
  });
  // Counts of this many tasks are lower bounds, so the total is requested separately.
  await page.route(/\/facets\?/, async (route) => {
    const { values, ...facet } = await (await route.fetch()).json();
    await route.fulfill({ json: { ...facet, values: values.map((one: object) => ({ ...one, exact: false })) } });
  });
  await page.goto(`/p/${shop.brain.project.slug}/tasks?queue=later`);
  await page.getByText("12,345 tasks match").waitFor();
  await page.locator("[role=row][id]").first().getByRole("checkbox").check({ force: true });
  await page.getByRole("button", { name: "Copy ids" }).click();
  await expect.poll(() => copied(page)).toBe("later-1");
  await page.getByRole("button", { name: "Select all 12,345 matching" }).click();
  await page.getByRole("region", { name: "Selected tasks" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("12,345. Each request deletes up to 10,000; repeat it for the rest.").waitFor();
  await page.getByRole("button", { name: "Delete 10,000 tasks" }).waitFor();
});
