import { startNewBrain } from "@svc/testkit/brain";
import { builtDashboard } from "@svc/testkit/built-program";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { axeFaults, launchBrowser, openScreen } from "../screen.ts";

let browser: Browser;
let brain: Awaited<ReturnType<typeof startNewBrain>>;
let link: URL;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  brain = await startNewBrain({ SVC_DASHBOARD_DIST: builtDashboard });
  link = brain.link;
});
afterEach(() => brain?.stop());

describe("the set-up page", () => {
  test("makes the administrator and leads to the dashboard, signed in", async () => {
    const { page, faults } = await openScreen(browser, { url: link.origin });
    await page.goto(link.href);
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.getByLabel("Set-up token").inputValue()).toBe(link.hash.slice("#token=".length));
    expect(page.url()).toBe(`${link.origin}/setup`);
    await page.getByText(/^1[45] minutes left$/).waitFor();
    await page.getByLabel("Email").fill("mira@example.org");
    await page.getByLabel("Password").fill("Violet-");
    expect(await page.getByText("12 to 256 characters").textContent()).toBe("12 to 256 characters");
    await page.getByLabel("Password").fill("Violet-Harbour-71");
    await page.getByText("12 to 256 characters: met").waitFor();
    await page.getByText("16 characters: met").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button").click();

    await page.waitForURL((url) => url.origin === link.origin && !/^\/(setup|login)/.test(url.pathname));
    expect((await page.context().cookies()).map(({ name }) => name)).toContain("svc_session");
    expect(faults).toEqual([]);

    await page.goto(`${link.origin}/setup`);
    await page.getByRole("heading", { name: "Set-up is done" }).waitFor();
    await page.context().close();
  });

  test("works without script: the token of the link is pasted into its field", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(link.href);
    expect(await page.getByLabel("Set-up token").inputValue()).toBe("");
    await page.getByLabel("Set-up token").fill(link.hash.slice("#token=".length));
    await page.getByLabel("Email").fill("mira@example.org");
    await page.getByLabel("Password").fill("Violet-Harbour-71");
    await page.getByRole("button").click();
    await page.waitForURL((url) => url.pathname !== "/setup");
    expect((await context.cookies()).map(({ name }) => name)).toContain("svc_session");
    await context.close();
  });

  test("takes the token of a newer link that is opened on the same page", async () => {
    const { page, faults } = await openScreen(browser, { url: link.origin });
    await page.goto(`${link.origin}/setup`);
    const newer = "n".repeat(43);
    await page.goto(`${link.origin}/setup#token=${newer}`);
    await expect.poll(() => page.getByLabel("Set-up token").inputValue()).toBe(newer);
    expect(page.url()).toBe(`${link.origin}/setup`);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("under another name of the service leads to its public address", async () => {
    const alias = new URL(link);
    alias.hostname = "127.0.0.1";
    const { page } = await openScreen(browser, { url: alias.origin });
    await page.goto(alias.href);
    await page.getByLabel("Email").fill("mira@example.org");
    await page.getByLabel("Password").fill("Violet-Harbour-71");
    await page.getByRole("button").click();

    await page.waitForURL((url) => url.origin === link.origin);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.context().close();
  });
});
