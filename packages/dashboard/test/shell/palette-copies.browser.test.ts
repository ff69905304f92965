import { expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();

test.each([
  ["page", "/scripted/bad-1"],
  ["drawer", "?task=scripted/bad-1"],
])("the palette copies the task that is open: %s", async (_place, rest) => {
  const { slug } = shop.brain.project;
  const { page, faults } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
  await page.goto(`/p/${slug}/tasks${rest}`);
  await page.getByRole("heading", { name: "billing.charge" }).waitFor();
  const copied = async (label: string) => {
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Find or go to" });
    await palette.getByRole("group", { name: "This task" }).getByRole("option", { name: label }).click();
    await palette.waitFor({ state: "detached" });
    return () => page.evaluate(() => navigator.clipboard.readText());
  };
  await expect.poll(await copied("Copy id")).toBe("bad-1");
  await expect.poll(await copied("Copy link")).toBe(`${shop.brain.url}/p/${slug}/tasks/scripted/bad-1`);
  await expect
    .poll(await copied("Copy as API call"))
    .toBe(`curl -sb jar '${shop.brain.url}/api/v1/projects/${slug}/tasks/scripted/bad-1'`);
  await expect.poll(async () => JSON.parse(await (await copied("Copy as JSON"))()).task_id).toBe("bad-1");
  expect(faults).toEqual([]);

  await page.goto(`/p/${slug}/queues`);
  await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Dark theme" }).waitFor();
  expect(await page.getByRole("option", { name: /^Copy/ }).count()).toBe(0);
});
