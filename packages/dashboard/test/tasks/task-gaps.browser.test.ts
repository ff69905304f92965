import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const shop = openShop();
const row = (page: Page, name: string) => page.getByRole("row", { name });

/** Opens the list with events lost from `from` to `to` seconds ago. */
async function openWithGap(from: number, to: number, search = ""): Promise<Page> {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  const lost = { agent_id: "a", agent_name: "media-2", event_records: 31, other_frames: 0, reason: "capacity" };
  await page.route(/\/completeness/, (route) =>
    route.fulfill({ json: { gaps: [{ ...lost, from: at(from), to: at(to) }], kept_since: at(86_400), is_cut: false } }),
  );
  await page.goto(`/p/${shop.brain.project.slug}/tasks${search}`);
  return page;
}

describe("lost events", () => {
  test("are shown between the rows before and after", async () => {
    const page = await openWithGap(75, 65);
    const band = page.getByRole("grid").getByRole("row").filter({ hasText: "31 events lost" });
    await band.waitFor();
    const y = async (name: string) => (await row(page, name).boundingBox())?.y ?? 0;
    const bandY = (await band.boundingBox())?.y ?? 0;
    expect(await y("billing.run_invoices started")).toBeLessThan(bandY);
    expect(await y("billing.charge failure")).toBeGreaterThan(bandY);
    await band.getByRole("link").waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test("above all rows keep the rows reachable by Tab", async () => {
    const page = await openWithGap(0, -1, "?queue=billing");
    await page.getByText("31 events lost").first().waitFor();
    await row(page, "billing.charge failure").waitFor();
    const stops = page.locator("[role=row][id][tabindex='0']");
    expect(await stops.count()).toBe(1);
    await page.keyboard.press("j");
    await expect.poll(() => stops.count()).toBe(1);
  });
});

test("a list that ends in the past reads gaps and counts relative to its own end", async () => {
  const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.admin.cookie });
  const statuses: [string, number][] = [];
  page.on("response", (response) => {
    const name = /\/(completeness|tasks\/histogram)\?/.exec(response.url())?.[1];
    if (name) statuses.push([name, response.status()]);
  });
  const end = new Date(Date.now() - 120 * 86_400_000).toISOString();
  for (const range of [`?until=${end}`, `?since=2020-01-01&until=${end}`]) {
    statuses.length = 0;
    await page.goto(`/p/${shop.brain.project.slug}/tasks${range}`);
    await expect
      .poll(() => statuses.toSorted())
      .toEqual([
        ["completeness", 200],
        ["tasks/histogram", 200],
      ]);
  }
});
