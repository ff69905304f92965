import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { moveClockUntil } from "../window/page-clock.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const shop = openShop();

/** Overrides the idle end of the session in the server's response; null restores it. */
async function moveEnd(page: Page) {
  let idle_expires_at: string | null = null;
  const asked: { isBackground: boolean }[] = [];
  let moved = 0;
  await page.route("**/api/v1/auth/me", async (route: Route) => {
    asked.push({ isBackground: "x-svc-background" in route.request().headers() });
    const overridden = idle_expires_at;
    if (overridden === null) return route.continue();
    const response = await route.fetch();
    if (response.status() !== 200) return route.fulfill({ response });
    const me = await response.json();
    await route.fulfill({ response, json: { ...me, session: { ...me.session, idle_expires_at: overridden } } });
    moved += 1;
  });
  return {
    asked,
    /** Number of responses with an overridden end. */
    moved: () => moved,
    set(seconds: number | null) {
      idle_expires_at = seconds === null ? null : new Date(Date.now() + seconds * 1000).toISOString();
    },
  };
}

const open = () => openScreen(shop.brain, { cookie: shop.brain.as.operator.cookie });
const queues = () => `/p/${shop.brain.project.slug}/queues`;

test("a session that ends for lack of use within two minutes is counted down, and one key extends it", async () => {
  const { page, faults } = await open();
  const end = await moveEnd(page);
  end.set(130);
  await page.clock.install();
  await page.goto(queues());
  await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
  const notice = page.getByRole("region", { name: "Notice" });
  expect(await notice.count()).toBe(0);
  // The page goes by the server's clock, which the test cannot advance, so it moves the end closer instead.
  end.set(119);
  const asked = end.asked.length;
  await moveClockUntil(page, 11_000, () => end.asked.length > asked);
  await notice.getByText("ends soon").waitFor();
  await notice.getByText(/^1 min 5\d s left/).waitFor();
  expect(await notice.getByRole("status").textContent()).toContain("Press Shift S");
  expect(await axeFaults(page)).toEqual([]);

  end.set(null);
  const before = end.asked.length;
  await page.keyboard.press("Shift+S");
  await notice.waitFor({ state: "detached" });
  expect(end.asked.slice(before)).toEqual([{ isBackground: false }]);
  expect(faults).toEqual([]);
});

test("the warning goes when another tab has used the session, and its button extends it on any page", async () => {
  const { page, faults } = await open();
  const end = await moveEnd(page);
  end.set(100);
  await page.clock.install();
  await page.goto("/");
  const notice = page.getByRole("region", { name: "Notice" });
  await notice.getByText("ends soon").waitFor();
  end.set(null);
  const before = end.asked.length;
  await moveClockUntil(page, 5_000, () => end.asked.length > before);
  await notice.waitFor({ state: "detached" });
  expect(end.asked.at(-1)).toEqual({ isBackground: true });

  end.set(60);
  await page.goto("/me/appearance");
  await notice.getByText("ends soon").waitFor();
  end.set(null);
  await notice.getByRole("button", { name: /^Stay signed in/ }).click();
  await notice.waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

test("a session that has ended leads to the sign-in, which says so and leads back", async () => {
  const { page } = await open();
  const end = await moveEnd(page);
  end.set(9);
  await page.clock.install();
  await page.goto("/me/appearance");
  await page.getByRole("region", { name: "Notice" }).getByText("ends soon").waitFor();
  // One read when the page opened and one near the end: no other read is in progress that could report the end early.
  await expect.poll(end.moved).toBe(2);
  await page.context().clearCookies();
  await moveClockUntil(page, 10_000, () => page.getByText("Your session has ended.").isVisible());
  expect(new URL(page.url()).searchParams.get("next")).toBe("/me/appearance");
});
