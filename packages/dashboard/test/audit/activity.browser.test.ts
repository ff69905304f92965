import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { moveClockUntil } from "../window/page-clock.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();
type Caller = Exclude<keyof typeof shop.brain.as, "anonymous">;

const open = async (as: Caller, { hasOwnClock = false } = {}) => {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as[as].cookie });
  if (hasOwnClock) await screen.page.clock.install();
  await screen.page.goto("/activity");
  await screen.page.getByRole("button", { name: "auth.login" }).first().waitFor();
  return screen;
};
const actionsShown = (page: Page) => page.locator("main tbody button[aria-haspopup=dialog]").allTextContents();
/** Moves the clock past the next poll. */
const moveUntilShown = (page: Page, name: string) =>
  moveClockUntil(page, 5_000, () => page.getByRole("button", { name }).isVisible());
const change = () =>
  shop.brain.as.root.patch(`/projects/${shop.brain.project.slug}`, { description: `since ${Math.random()}` });
/** Records the polls for new entries of all pages, with the header that does not keep the session alive. */
function recordPolls(context: BrowserContext) {
  const polls: { page: Page; isBackground: boolean }[] = [];
  context.on("request", (request) => {
    if (!request.url().includes("/api/v1/activity?") || !request.url().includes("since_cursor")) return;
    polls.push({ page: request.frame().page(), isBackground: request.headers()["x-svc-background"] === "1" });
  });
  return polls;
}

describe("the activity feed", () => {
  test.each([
    ["root", /^All entries, because/, true],
    ["auditor", /^Entries of Shop, and your own/, true],
    ["viewer", /^Only your own entries/, false],
    ["stranger", /^Only your own entries/, false],
  ] as const)("describes and shows what %s sees", async (as, text, seesProject) => {
    const { page, faults } = await open(as);
    await page.locator("main").getByText(text).waitFor();
    expect((await actionsShown(page)).includes("agent.token.minted")).toBe(seesProject);
    expect((await page.locator("main").getByRole("link", { name: "shop", exact: true }).count()) > 0).toBe(seesProject);
    expect(faults).toEqual([]);
  });

  test("is filtered by project and action class", async () => {
    const { page } = await open("root");
    await page.getByLabel("Project").selectOption("shop");
    await page.waitForURL(/project=shop/);
    await expect.poll(async () => (await actionsShown(page)).includes("auth.login")).toBe(false);
    await page.getByLabel("Action starts with").fill("agent.");
    await page.waitForURL(/action=agent[.]/);
    await expect.poll(async () => [...new Set(await actionsShown(page))]).toEqual(["agent.token.minted"]);
  });

  test("opens an entry without the user filter", async () => {
    const { page } = await open("auditor");
    await page.getByRole("button", { name: "agent.token.minted" }).click();
    await page.getByRole("dialog").getByText("hidden for your role").waitFor();
    expect(await page.getByRole("dialog").getByRole("button", { name: "Only this user" }).count()).toBe(0);
  });

  test("shows the number of new entries and keeps the list until requested", async () => {
    const { page, faults } = await open("root", { hasOwnClock: true });
    const polls = recordPolls(page.context());
    const before = await actionsShown(page);
    await change();
    await moveUntilShown(page, "1 new");
    await change();
    await moveUntilShown(page, "2 new");
    expect(await actionsShown(page)).toEqual(before);
    expect(polls.every(({ isBackground }) => isBackground)).toBe(true);
    await page.getByRole("button", { name: "2 new" }).click();
    await expect
      .poll(async () => (await actionsShown(page)).slice(0, 2))
      .toEqual(["project.updated", "project.updated"]);
    expect(faults).toEqual([]);
  });

  test("does not poll while paused", async () => {
    const { page } = await open("root");
    await page.keyboard.press("L");
    const polls = recordPolls(page.context());
    await change();
    await page.clock.install();
    await page.clock.runFor(30_000);
    expect(polls).toEqual([]);
    await page.keyboard.press("L");
    await page.clock.runFor(6_000);
    await page.getByRole("button", { name: /\d new/ }).waitFor();
  });

  test("is polled by the tab opened last, and the others get the result", async () => {
    const { page: first, faults } = await open("root", { hasOwnClock: true });
    const polls = recordPolls(first.context());
    await moveClockUntil(first, 5_000, () => polls.length > 0);
    const second = await first.context().newPage();
    await second.goto("/activity");
    await second.getByRole("button", { name: "auth.login" }).first().waitFor();
    const of = (page: Page) => polls.filter((poll) => poll.page === page).length;
    // Twice: a poll of the first tab may have started just before the second took over.
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

  test("waits when rate-limited, says so, and continues automatically", async () => {
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
