import { describe, expect, test } from "vitest";
import { axeFaults, openScreen } from "./screen.ts";
import { openShop } from "./shop.ts";

const shop = openShop();
const open = (caller: "root" | "stranger" = "root") =>
  openScreen(shop.browser, shop.brain, { cookie: shop.brain.as[caller].cookie });

describe("the start page", () => {
  test("says first what needs attention, and leads to it", async () => {
    const { page, faults } = await open();
    await page.goto("/");
    const attention = page.getByRole("region", { name: "Needs attention" });
    const sentence = attention.getByRole("link", { name: "50 % of the tasks that ended in the last 24 hours failed." });
    await sentence.click();
    await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
    expect(new URL(page.url()).searchParams.get("state")).toBe("failure");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("lists the projects by trouble, with their figures", async () => {
    await shop.brain.as.root.post("/projects", { slug: "asleep", name: "Asleep" });
    const { page } = await open();
    await page.goto("/");
    const rows = page.getByRole("table").getByRole("row");
    await page.getByRole("link", { name: "Asleep" }).waitFor();
    expect(await rows.nth(1).textContent()).toMatch(/^Shopshop.*degraded/);
    expect(await rows.nth(1).textContent()).toContain("1 of 1");
    expect(await rows.nth(2).textContent()).toMatch(/^Asleepasleep.*idle.*no tasks.*none yet/);
    await rows
      .nth(1)
      .getByRole("img", { name: /^Shop: 2 tasks ended in 24 h/ })
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.getByRole("link", { name: "Shop" }).click();
    await page.getByRole("heading", { name: "Throughput by outcome" }).waitFor();
    await page.context().close();
  });

  test("without its figures still leads into the projects", async () => {
    const { page } = await open();
    let isBroken = true;
    const refusal = { error: "unready", message: "the database is away", details: {}, request_id: "req-1" };
    await page.route("**/home/summary", (route) =>
      isBroken ? route.fulfill({ status: 503, json: refusal }) : route.continue(),
    );
    await page.goto("/");
    await page.getByText("The figures of the projects could not be read").waitFor();
    await page.getByRole("list", { name: "Projects" }).getByRole("link", { name: "Shop" }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("region", { name: "Needs attention" }).waitFor();
    await page.context().close();
  });

  test("tells a member of nothing why it is empty", async () => {
    const { page } = await open("stranger");
    await page.goto("/");
    await page.getByText("You are not a member of any project.").waitFor();
    expect(await page.getByRole("button", { name: "New project" }).count()).toBe(0);
    await page.context().close();
  });
});
