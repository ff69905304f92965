import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite({ env: { SVC_OPENAPI_VISIBILITY: "public" } });
});
afterAll(() => brain?.stop());

test.each([
  ["desktop", "light"],
  ["phone", "dark"],
] as const)("the API page is searched and read on a %s in %s", async (size, theme) => {
  const { page, faults } = await openScreen(brain, { size, theme });
  await page.goto("/api/v1/docs");
  await page.getByRole("searchbox", { name: "Search" }).fill("retry task");
  const retry = page.locator("#retryTask");
  await retry.locator("summary").click();
  await page.getByText("Get a project", { exact: true }).last().waitFor({ state: "hidden" });
  await retry.getByText("Requires the role operator in the project.").waitFor();
  await retry.getByRole("button", { name: "Copy" }).click();
  await retry.getByRole("button", { name: "Copied" }).waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain(`'${brain.url}/api/v1/projects/shop/commands/retry-task'`);
  expect(line).toContain('"task_id":"emails:42"');

  await retry.getByRole("link", { name: "Command", exact: true }).click();
  const schema = page.locator("#Command");
  await schema.getByText("issued_by", { exact: true }).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await axeFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("an address names an operation, which is open then", async () => {
  const { page, faults } = await openScreen(brain);
  await page.goto("/api/v1/docs#listTasks");
  const list = page.locator("#listTasks");
  await list.getByText("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet").waitFor();
  await list.getByText("Example response").waitFor();
  expect(faults).toEqual([]);
});
