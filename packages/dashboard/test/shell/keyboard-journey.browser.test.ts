import { testPassword } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();

interface Focused {
  name: string;
  isSeen: boolean;
}

/** The text of the focused element, and whether an outline or a ring shows the focus. */
const focused = (page: Page): Promise<Focused> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const isSeen = (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1) || boxShadow !== "none";
    return { name: element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "", isSeen };
  });

async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 60) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    passed.push(now.name);
    if (!name.test(now.name)) continue;
    expect(now.isSeen).toBe(true);
    return;
  }
  throw new Error(`no ${name} among ${passed.join(" | ")}`);
}

test("from the sign-in to the trace of the failing task by keys alone", async () => {
  const { page, faults } = await openScreen(shop.brain);
  await page.goto("/");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await expect.poll(() => page.getByLabel("Email").evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type("operator@example.org");
  await page.keyboard.press("Tab");
  await page.keyboard.type(testPassword);
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
  await page.getByRole("link", { name: "Shop" }).waitFor();
  await tabTo(page, /^Skip to content$/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Shop/);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/p/${shop.brain.project.slug}`);
  // The shell handles these keys, and it appears only after the address has changed.
  await page.getByRole("navigation", { name: "Project" }).waitFor();

  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("charge");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("grid").getByRole("row").count()).toBe(2);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog");
  await drawer.getByText("PaymentError", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await expect.poll(async () => (await focused(page)).name).toMatch(/billing.charge/);

  await page.keyboard.press("o");
  await page.getByRole("heading", { level: 1, name: /billing[.]charge/ }).waitFor();
  await tabTo(page, /Traceback/);
  await page.keyboard.press("Enter");
  await page.getByText("GatewayClient.post").first().waitFor();
  await page.goBack();
  await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
  expect(faults).toEqual([]);
});
