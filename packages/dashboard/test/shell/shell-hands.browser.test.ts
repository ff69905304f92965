import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { moveClockUntil } from "../window/page-clock.ts";
import { openScreen } from "../window/screen.ts";

const shop = openShop();
const open = () => openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
const queues = () => `/p/${shop.brain.project.slug}/queues`;

describe("the connection chip", () => {
  test("offers to connect where a connection is waited for, and not where none is wanted", async () => {
    const { page, faults } = await open();
    let sockets = 0;
    await page.routeWebSocket(/ws\/dashboard/, (socket) => {
      sockets += 1;
      return socket.close();
    });
    await page.goto("/");
    const chip = page.getByRole("button", { name: /^Connection: polling/ });
    await chip.click();
    await page.getByRole("button", { name: "Pause updates" }).waitFor();
    const connect = page.getByRole("button", { name: "Connect now" });
    expect(await connect.count()).toBe(0);

    await page.goto(queues());
    await chip.click();
    await connect.waitFor();
    const before = sockets;
    await connect.click();
    await expect.poll(() => sockets).toBeGreaterThan(before);
    expect(faults).toEqual([]);
  });

  test("is stale after three reads without a response, and announces each mode once", async () => {
    const { page } = await open();
    await page.clock.install();
    await page.routeWebSocket(/ws\/dashboard/, (socket) => socket.close());
    await page.goto(queues());
    await page.getByRole("button", { name: /^Connection: polling/ }).waitFor();
    await page.evaluate(() => {
      const status = [...document.querySelectorAll("[role=status]")].find((one) =>
        one.textContent?.startsWith("Connection: "),
      );
      const announced: string[] = [];
      Object.assign(window, { announced });
      new MutationObserver(() => announced.push(status?.textContent ?? "")).observe(status as Node, {
        characterData: true,
        childList: true,
        subtree: true,
      });
    });
    const announced = () => page.evaluate(() => (window as unknown as { announced: string[] }).announced);

    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/v1/**", async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    // A read in progress may still be answered, and three reads are counted from the last answer.
    const chip = page.getByRole("button", { name: /^Connection: stale \d+ (s|min)/ });
    await moveClockUntil(page, 5_000, async () => (await chip.count()) === 1);
    const notice = page.getByRole("region", { name: "Notice" });
    await notice.getByText("No updates for longer than expected.").waitFor();
    await page.clock.runFor(5_000);
    expect(await announced()).toEqual(["Connection: stale"]);
    release();
    await page.getByRole("button", { name: /^Connection: polling/ }).waitFor();
    expect(await announced()).toEqual(["Connection: stale", "Connection: polling"]);
  });
});

describe("the project switcher", () => {
  test("stays where it is when Enter finds no project", async () => {
    const { page, faults } = await open();
    await page.goto(queues());
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
    await page.getByRole("button", { name: "Switch project" }).click();
    const filter = page.getByLabel("Filter projects");
    await filter.fill("nothing like this");
    await page.getByText("No matching projects").waitFor();
    await page.keyboard.press("Enter");
    expect(await filter.isVisible()).toBe(true);
    expect(new URL(page.url()).pathname).toBe(queues());
    expect(faults).toEqual([]);
  });
});

describe("a key", () => {
  test("works when its character is typed with AltGr, and not as part of a chord", async () => {
    const { page, faults } = await open();
    await page.goto(queues());
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
    const press = (altGraph: boolean) =>
      page.evaluate((modifierAltGraph) => {
        const init = { key: "[", ctrlKey: true, altKey: true, modifierAltGraph, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new KeyboardEvent("keydown", init));
      }, altGraph);
    const rail = () => page.evaluate(() => document.documentElement.dataset.rail);
    await press(false);
    expect(await rail()).toBeUndefined();
    await press(true);
    expect(await rail()).toBe("narrow");
    expect(faults).toEqual([]);
  });
});

describe("a read that is refused for a while", () => {
  test("is tried again only after the wait that the server asks for, counted down on the button", async () => {
    const { page } = await open();
    await page.clock.install();
    let isRefused = true;
    let reads = 0;
    await page.route("**/api/v1/**/queues*", (route) => {
      reads += 1;
      const json = { error: "rate_limited", message: "too many requests", details: {}, request_id: "r" };
      return isRefused ? route.fulfill({ status: 429, headers: { "retry-after": "20" }, json }) : route.continue();
    });
    await page.goto(queues());
    const button = page.getByRole("button", { name: /^Try again in \d+ s$/ });
    await button.waitFor();
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    const before = reads;
    await button.click({ force: true });
    await page.clock.runFor(5_000);
    await page.getByRole("button", { name: /^Try again in 1\d s$/ }).waitFor();
    expect(reads).toBe(before);

    isRefused = false;
    await page.clock.runFor(16_000);
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
  });
});

describe("the frame of a project", () => {
  const lineOf = (page: Page) =>
    page
      .getByRole("main")
      .locator("xpath=..")
      .evaluate((frame) => {
        const { content, height, backgroundColor } = getComputedStyle(frame, "::before");
        return content === "none" ? null : { height, isInked: backgroundColor !== "rgba(0, 0, 0, 0)" };
      });

  test("has a line of 2 px across its top in production, and nowhere else", async () => {
    for (const environment of ["production", "staging"]) {
      await shop.brain.as.root.post("/projects", { slug: `at-${environment}`, name: environment, environment });
    }
    const { page, faults } = await open();
    await page.goto("/p/at-production/agents");
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    await expect.poll(() => lineOf(page)).toEqual({ height: "2px", isInked: true });
    await page.goto("/p/at-staging/agents");
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    await page.getByText("staging").first().waitFor();
    expect(await lineOf(page)).toBeNull();
    expect(faults).toEqual([]);
  });

  test("says that it is archived", async () => {
    await shop.brain.as.root.post("/projects", { slug: "closed", name: "Closed" });
    await shop.brain.as.root.delete("/projects/closed");
    const { page } = await open();
    await page.goto("/p/closed/agents");
    await page.getByRole("region", { name: "Notice" }).getByText("This project is archived").waitFor();
  });

  test.each([
    [1, /^agent-\S+ runs a version that is incompatible with this server/],
    [2, /^agent-\S+ and 1 other agent run a version that is incompatible with this server/],
  ])("names the agents that are too old, of which there are %d", async (many, text) => {
    const { page } = await open();
    await page.route("**/api/v1/projects/*/agents", async (route) => {
      const response = await route.fetch();
      const [agent] = (await response.json()).items;
      const items = Array.from({ length: many }, (_, at) => ({
        ...agent,
        id: `${agent.id}${at}`,
        version_status: "incompatible",
      }));
      await route.fulfill({ response, json: { items } });
    });
    await page.clock.install();
    await page.goto(queues());
    // Agents are read some seconds after the page is opened.
    const status = page.getByRole("region", { name: "Notice" }).getByRole("status");
    await moveClockUntil(page, 4_000, () => status.isVisible());
    expect(await status.textContent()).toMatch(text);
  });
});
