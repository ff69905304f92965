import { describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { axeFaults, openScreen } from "../window/screen.ts";

const shop = openShop();

const openPage = async (path: string) => {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
  await screen.page.goto(path);
  return screen;
};

describe("the shell", () => {
  test("says on every page of a project that its last agent has left, and that one is back", async () => {
    const { page, faults } = await openPage(`/p/${shop.brain.project.slug}/tasks`);
    const missing = page.getByText("No agent is online, so no new data arrives.");
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    expect(await missing.count()).toBe(0);

    await shop.connected.agent.stop();
    await missing.waitFor();
    const back = await shop.brain.connectAgent();
    await missing.waitFor({ state: "detached" });

    await back.agent.stop();
    expect(faults).toEqual([]);
  });

  test("says why a page's own file is missing, and shows the page after a reload", async () => {
    const { page } = await openPage(`/p/${shop.brain.project.slug}/tasks`);
    await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
    await page.route(/QueuesPage/, (route) => route.abort());
    await page.getByRole("link", { name: "Queues" }).click();
    const panel = page.getByRole("alert").filter({ hasText: "If a newer version was installed" });
    await panel.waitFor();
    expect(await panel.getByRole("button", { name: "Try again" }).count()).toBe(0);

    await page.unroute(/QueuesPage/);
    await panel.getByRole("button", { name: "Reload the page" }).click();
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
  });

  test("reads again when a page that could not be read is tried again", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    let isBroken = true;
    await page.route("**/api/v1/**/queues*", (route) =>
      isBroken
        ? route.fulfill({ status: 500, json: { error: { code: "internal", message: "broken" } } })
        : route.continue(),
    );
    await page.goto(`/p/${shop.brain.project.slug}/queues`);
    const panel = page.getByRole("alert").filter({ hasText: "Couldn't show this page" });
    await panel.waitFor();
    expect(await page.title()).toMatch(/^Error, shop/);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);

    isBroken = false;
    await panel.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
    await page.getByText("billing").first().waitFor();
  });

  test("goes to another project and stays on the same page of it; its rail narrows by a key", async () => {
    await shop.brain.as.root.post("/projects", { slug: "second", name: "Second shop" });
    const { page, faults } = await openPage(`/p/${shop.brain.project.slug}/queues`);
    await page.getByRole("button", { name: "Switch project" }).click();
    await page.getByLabel("Filter projects").fill("second");
    await page.getByRole("link", { name: /Second shop/ }).click();

    await page.waitForURL("**/p/second/queues");
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();

    const rail = page.getByRole("navigation").first();
    const railWidth = () => rail.evaluate((element) => element.getBoundingClientRect().width);
    const wide = await railWidth();
    await page.keyboard.press("[");
    await expect.poll(railWidth).toBeLessThan(wide);
    await page.keyboard.press("[");
    await expect.poll(railWidth).toBe(wide);
    expect(faults).toEqual([]);
  });

  test("lists recently viewed projects first, also those opened by URL", async () => {
    await shop.brain.as.root.post("/projects", { slug: "zz-last", name: "Made last" });
    const { page, faults } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    const { slug } = shop.brain.project;
    for (const one of ["zz-last", slug]) {
      // Makes the project's data arrive before the shell's script.
      const answered = page.waitForResponse((response) => response.url().endsWith(`/api/v1/projects/${one}`));
      await page.route(/Shell-/, async (route) => {
        await (await answered).finished();
        await route.continue();
      });
      await page.goto(`/p/${one}/queues`);
      await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor();
      await page.unroute(/Shell-/);
    }
    await page.getByRole("button", { name: "Switch project" }).click();
    const links = page.getByRole("group", { name: "Switch project" }).getByRole("listitem").getByRole("link");
    await links.first().waitFor();
    const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(addresses.slice(0, 2)).toEqual([`/p/${slug}/queues`, "/p/zz-last/queues"]);
    expect(faults).toEqual([]);
  });

  test("says how old the figures are while the server does not answer, and lets them fade", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    await page.clock.install();
    await page.routeWebSocket(/ws\/dashboard/, (socket) => socket.close());
    await page.goto(`/p/${shop.brain.project.slug}/queues`);
    await page.getByRole("button", { name: /^Connection: polling/ }).waitFor();
    const figure = page.locator("main td.num").first();
    await figure.waitFor();
    expect(await figure.evaluate((cell) => getComputedStyle(cell).opacity)).toBe("1");

    await page.route("**/api/v1/**", (route) => route.abort());
    await page.clock.runFor(20_000);
    await page.getByText(/Showing data from \d+ s ago/).waitFor();
    await page.getByRole("button", { name: /^Connection: offline/ }).waitFor();
    expect(await figure.evaluate((cell) => getComputedStyle(cell).opacity)).toBe("0.6");
    expect(await axeFaults(page)).toEqual([]);

    await page.unroute("**/api/v1/**");
    await page.clock.runFor(20_000);
    await page.getByText(/Showing data from/).waitFor({ state: "detached" });
    expect(await figure.evaluate((cell) => getComputedStyle(cell).opacity)).toBe("1");
  });

  test("shows its transport, and pauses updates by a key", async () => {
    const { page, faults } = await openPage(`/p/${shop.brain.project.slug}/tasks`);
    const chip = page.getByRole("button", { name: /^Connection: live/ });
    await chip.click();
    await page.getByText("WebSocket", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+L");
    await page.getByRole("button", { name: "Connection: paused" }).waitFor();
    await page.keyboard.press("Shift+L");
    await chip.waitFor();
    expect(faults).toEqual([]);
  });

  test("leaves a hub that has fallen silent, and polls until it is back", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.root.cookie });
    await page.clock.install();
    let sockets = 0;
    await page.routeWebSocket(/ws\/dashboard/, (socket) => {
      sockets += 1;
      if (sockets > 1) return socket.close();
      socket.onMessage((text) => {
        if (String(text).includes("subscribe")) socket.send(JSON.stringify({ type: "ready", topics: [] }));
      });
    });
    await page.goto(`/p/${shop.brain.project.slug}/tasks`);
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();

    await page.clock.runFor(36_000);
    await page.getByRole("button", { name: /^Connection: polling/ }).waitFor();
    await page.clock.runFor(2_000);
    expect(sockets).toBeGreaterThan(1);
  });
});
