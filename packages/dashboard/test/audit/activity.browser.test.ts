import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { moveClockUntil } from "../window/page-clock.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();
type Caller = Exclude<keyof typeof shop.brain.as, "nobody">;

const open = async (as: Caller, { hasOwnClock = false } = {}) => {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as[as].cookie });
  if (hasOwnClock) await screen.page.clock.install();
  await screen.page.goto("/activity");
  await screen.page.getByRole("button", { name: "auth.login" }).first().waitFor();
  return screen;
};
const actionsShown = (page: Page) => page.locator("main tbody button[aria-haspopup=dialog]").allTextContents();
/** Moves the clock over the next look. */
const moveUntilShown = (page: Page, name: string) =>
  moveClockUntil(page, 5_000, () => page.getByRole("button", { name }).isVisible());
const change = () =>
  shop.brain.as.root.patch(`/projects/${shop.brain.project.slug}`, { description: `since ${Math.random()}` });
/** Looks for what is new, of all pages of one browser, with the header that keeps no session alive. */
function countLooks(context: BrowserContext) {
  const looks: { page: Page; isBackground: boolean }[] = [];
  context.on("request", (request) => {
    if (!request.url().includes("/api/v1/activity?") || !request.url().includes("since_cursor")) return;
    looks.push({ page: request.frame().page(), isBackground: request.headers()["x-svc-background"] === "1" });
  });
  return looks;
}

describe("the activity feed", () => {
  // Part 1, Activity feed, Visibility.
  test.each([
    ["root", /^All entries of all projects/, true],
    ["auditor", /^Entries of Shop, and your own/, true],
    ["viewer", /^Your own events only/, false],
    ["stranger", /^Your own events only/, false],
  ] as const)("says what %s sees, and shows that", async (as, words, seesProject) => {
    const { page, faults } = await open(as);
    await page.locator("main").getByText(words).waitFor();
    expect((await actionsShown(page)).includes("agent.token.minted")).toBe(seesProject);
    expect((await page.locator("main").getByRole("link", { name: "shop", exact: true }).count()) > 0).toBe(seesProject);
    expect(faults).toEqual([]);
  });

  test("is narrowed to one project and one class of actions", async () => {
    const { page } = await open("root");
    await page.getByLabel("Project").selectOption("shop");
    await page.waitForURL(/project=shop/);
    await expect.poll(async () => (await actionsShown(page)).includes("auth.login")).toBe(false);
    await page.getByLabel("Action begins with").fill("agent.");
    await page.waitForURL(/action=agent[.]/);
    await expect.poll(async () => [...new Set(await actionsShown(page))]).toEqual(["agent.token.minted"]);
  });

  test("opens a row without a filter that the feed does not have", async () => {
    const { page } = await open("auditor");
    await page.getByRole("button", { name: "agent.token.minted" }).click();
    await page.getByRole("dialog").getByText("hidden for your role").waitFor();
    expect(await page.getByRole("dialog").getByRole("button", { name: "Only who acted" }).count()).toBe(0);
  });

  test("says how many rows are new and lets the list stand until somebody asks", async () => {
    const { page, faults } = await open("root", { hasOwnClock: true });
    const looks = countLooks(page.context());
    const before = await actionsShown(page);
    await change();
    await moveUntilShown(page, "1 new");
    await change();
    await moveUntilShown(page, "2 new");
    expect(await actionsShown(page)).toEqual(before);
    expect(looks.every(({ isBackground }) => isBackground)).toBe(true);
    await page.getByRole("button", { name: "2 new" }).click();
    await expect
      .poll(async () => (await actionsShown(page)).slice(0, 2))
      .toEqual(["project.updated", "project.updated"]);
    expect(faults).toEqual([]);
  });

  test("stands still while everything is paused", async () => {
    const { page } = await open("root");
    await page.keyboard.press("L");
    const looks = countLooks(page.context());
    await change();
    await page.clock.install();
    await page.clock.runFor(30_000);
    expect(looks).toEqual([]);
    await page.keyboard.press("L");
    await page.clock.runFor(6_000);
    await page.getByRole("button", { name: /\d new/ }).waitFor();
  });

  test("is looked at by one tab of all, the one that was opened last, and the others are told", async () => {
    const { page: first, faults } = await open("root", { hasOwnClock: true });
    const looks = countLooks(first.context());
    await moveClockUntil(first, 5_000, () => looks.length > 0);
    const second = await first.context().newPage();
    await second.goto("/activity");
    await second.getByRole("button", { name: "auth.login" }).first().waitFor();
    const of = (page: Page) => looks.filter((look) => look.page === page).length;
    // Twice: a look of the first tab may have begun just before the second took over.
    await moveClockUntil(first, 5_000, () => of(second) > 1);
    const until = of(first);
    await change();
    await moveUntilShown(first, "1 new");
    await second.getByRole("button", { name: "1 new" }).waitFor();
    expect(of(first)).toBe(until);

    await second.close();
    await moveClockUntil(first, 5_000, () => of(first) > until);
    expect(faults).toEqual([]);
  });

  // Part 1, Activity feed, Throttle: 429 with Retry-After 60.
  test("waits when the server asks for it, says so, and goes on by itself", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    await page.clock.install();
    let refused = 0;
    let isRefusing = true;
    await page.route("**/api/v1/activity?*since_cursor*", (route) => {
      if (!isRefusing) return route.continue();
      refused += 1;
      const json = { error: "rate_limited", message: "slow down", details: {}, detail: "slow down", request_id: "r" };
      return route.fulfill({ status: 429, headers: { "retry-after": "60" }, json });
    });
    await page.goto("/activity");
    await page.getByRole("button", { name: "auth.login" }).first().waitFor();
    await page.clock.runFor(6_000);
    await page.getByText("Couldn't check for new entries. Too many requests").waitFor();
    await page.getByRole("button", { name: /^Try again in \d+ s$/ }).waitFor();
    await page.clock.runFor(50_000);
    expect(refused).toBe(1);
    isRefusing = false;
    await change();
    await page.clock.runFor(15_000);
    await page.getByRole("button", { name: /\d new/ }).waitFor();
    expect(await page.getByText("Couldn't check for new entries").count()).toBe(0);
  });
});
