import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportAndWait } from "../traffic/task-traffic.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
  await reportAndWait(
    brain,
    await brain.connectAgent(),
    [42, 43].map((customer) => ({
      kind: "task.received",
      taskId: `order-${customer}`,
      data: { task_name: "orders.bill", queue: "orders", args: [{ customer, order: { id: `o-${customer}` } }] },
    })),
  );
});
afterAll(() => brain?.stop());

async function openList(search = "") {
  const screen = await openScreen(brain, { cookie: brain.as.viewer.cookie });
  await screen.page.goto(`/p/${brain.project.slug}/tasks${search}`);
  await screen.page.getByRole("combobox").waitFor();
  return screen;
}
const rows = (page: Page) => page.locator("[role=row][id]");

test.each(["customer=42", "customer:42"])(
  "a search for %s suggests the search for that value in the arguments",
  async (typed) => {
    const { page, faults } = await openList("?queue=orders");
    await rows(page).first().waitFor();
    const box = page.getByRole("combobox");
    await box.fill(typed);
    await box.press("Enter");
    await page.getByText("No tasks match").waitFor();
    const link = page.getByRole("link", { name: "args.customer:42", exact: true });
    await link.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await link.click();
    await expect.poll(() => rows(page).count()).toBe(1);
    const asked = new URL(page.url()).searchParams;
    expect([asked.get("q"), asked.get("queue"), asked.get("search")]).toEqual(["args.customer:42", "orders", null]);
    expect(faults).toEqual([]);
  },
);

test("an unknown key after other terms is rejected with the path where payloads have it", async () => {
  const { page } = await openList();
  const box = page.getByRole("combobox");
  await box.fill("queue:orders customer:43");
  await box.press("Enter");
  const alert = page.getByRole("alert").filter({ hasText: "unknown field" });
  await alert.getByRole("link", { name: "queue:orders args.customer:43" }).click();
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(await box.inputValue()).toBe("");
});

test("paths of recent payloads complete what is typed after args., with their counts", async () => {
  const { page } = await openList();
  const box = page.getByRole("combobox");
  await box.pressSequentially("queue:orders args.o");
  const option = page.getByRole("option", { name: /^order\.id:/ });
  await option.waitFor();
  expect(await option.textContent()).toBe("order.id:2");
  await box.press("Enter");
  await expect.poll(() => box.inputValue()).toBe("queue:orders args.order.id:");
  await box.pressSequentially("o-42");
  await box.press("Enter");
  await expect.poll(() => rows(page).count()).toBe(1);
});
