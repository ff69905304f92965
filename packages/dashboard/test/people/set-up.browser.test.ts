import { startNewBrain } from "@svc/testkit/brain";
import { builtDashboard } from "@svc/testkit/built-program";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { axeFaults, openScreen } from "../window/screen.ts";

let brain: Awaited<ReturnType<typeof startNewBrain>>;
let link: URL;

beforeEach(async () => {
  brain = await startNewBrain({ SVC_DASHBOARD_DIST: builtDashboard });
  link = brain.link;
});
afterEach(() => brain?.stop());

describe("the setup page", () => {
  test("creates the administrator and leads to the checklist of the first project, signed in", async () => {
    const { page, faults } = await openScreen({ url: link.origin });
    await page.goto(link.href);
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.getByLabel("Setup token").inputValue()).toBe(link.hash.slice("#token=".length));
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

    await page.waitForURL(`${link.origin}/p/default`);
    await page.getByRole("heading", { name: "Connect the first agent" }).waitFor();
    expect((await page.context().cookies()).map(({ name }) => name)).toContain("svc_session");
    expect(faults).toEqual([]);

    await page.goto(`${link.origin}/setup`);
    await page.getByRole("heading", { name: "Setup is complete" }).waitFor();
  });

  test("works without script: the token of the link is pasted into its field", async () => {
    const { page } = await openScreen({ url: link.origin }, { settings: { javaScriptEnabled: false } });
    await page.goto(link.href);
    expect(await page.getByLabel("Setup token").inputValue()).toBe("");
    await page.getByLabel("Setup token").fill(link.hash.slice("#token=".length));
    await page.getByLabel("Email").fill("mira@example.org");
    await page.getByLabel("Password").fill("Violet-Harbour-71");
    await page.getByRole("button").click();
    await page.waitForURL((url) => url.pathname !== "/setup");
    expect((await page.context().cookies()).map(({ name }) => name)).toContain("svc_session");
  });

  test("takes the token of a newer link that is opened on the same page", async () => {
    const { page, faults } = await openScreen({ url: link.origin });
    await page.goto(`${link.origin}/setup`);
    const newer = "n".repeat(43);
    await page.goto(`${link.origin}/setup#token=${newer}`);
    await expect.poll(() => page.getByLabel("Setup token").inputValue()).toBe(newer);
    expect(page.url()).toBe(`${link.origin}/setup`);
    expect(faults).toEqual([]);
  });

  test("under another name of the service leads to its public address", async () => {
    const alias = new URL(link);
    alias.hostname = "127.0.0.1";
    const { page } = await openScreen({ url: alias.origin });
    await page.goto(alias.href);
    await page.getByLabel("Email").fill("mira@example.org");
    await page.getByLabel("Password").fill("Violet-Harbour-71");
    await page.getByRole("button").click();

    await page.waitForURL((url) => url.origin === link.origin);
    await page.getByLabel("Email").fill("mira@example.org");
    await page.getByLabel("Password").fill("Violet-Harbour-71");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Connect the first agent" }).waitFor();
  });
});
