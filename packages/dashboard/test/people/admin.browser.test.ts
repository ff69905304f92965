import type { TestBrain } from "@svc/testkit/brain";
import { type HttpsServer, startHttpsServer } from "@svc/testkit/services/https-server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
let source: HttpsServer;

beforeAll(async () => {
  source = await startHttpsServer();
  brain = await startBrainWithSite({
    env: { SVC_VERSION_CHECK_URL: source.url, SVC_METRICS_AUTH_TOKEN: "planted-metrics-token-4711" },
  });
});
afterAll(async () => {
  await brain?.stop();
  await source?.stop();
});

const open = async (path: string) => {
  const screen = await openScreen(brain, { cookie: brain.as.root.cookie });
  await screen.page.goto(path);
  await screen.page.getByRole("navigation", { name: "Instance" }).waitFor();
  return screen;
};
const row = (page: Page, name: string | RegExp) => page.getByRole("row", { name });

describe("the settings of the instance", () => {
  test("are found by name, with their source, and no secret is among them", async () => {
    const { page, faults } = await open("/admin/settings?filter=metrics_auth");
    await row(page, /SVC_METRICS_AUTH_TOKEN/).waitFor();
    expect(await row(page, /SVC_METRICS_AUTH_TOKEN/).textContent()).toMatch(/secret.*environment/);
    await page.getByLabel("Filter settings").fill("previous_secrets");
    expect(await row(page, /SVC_AUDIT_CHAIN_PREVIOUS_SECRETS/).textContent()).toMatch(/secret, not set/);
    await page.getByLabel("Filter settings").fill("bind_port");
    await page.waitForURL(/filter=bind_port/);
    expect(await row(page, /^SVC_BIND_PORT/).textContent()).toMatch(/\d.*(default|environment)/);
    await page.getByLabel("Filter settings").fill("");
    await page.getByRole("radio", { name: "Configured" }).check();
    await row(page, /SVC_VERSION_CHECK_URL/).waitFor();
    expect(await page.locator("main tbody").textContent()).not.toMatch(/default|unset/);
    expect(await page.content()).not.toContain("planted-metrics-token");
    expect(faults).toEqual([]);
  });

  test("hide the credentials in a URL until revealed", async () => {
    const url = "https://who:planted-7f3a@versions.example.org/svc.json";
    await using other = await startBrainWithSite({ env: { SVC_VERSION_CHECK_URL: url } });
    const { page } = await openScreen(other, { cookie: other.as.root.cookie });
    await page.goto("/admin/versions");
    await page.getByRole("button", { name: "Show the credentials in the URL of the check" }).waitFor();
    expect(await page.content()).not.toContain("planted-7f3a");

    await page.goto("/admin/settings?filter=version_check");
    const value = row(page, /SVC_VERSION_CHECK_URL/);
    await value.getByText("@versions.example.org").waitFor();
    expect(await page.content()).not.toContain("planted-7f3a");
    expect(await axeFaults(page)).toEqual([]);
    await value.getByRole("button", { name: "Show the credentials in SVC_VERSION_CHECK_URL" }).click();
    await value.getByText("who:planted-7f3a").waitFor();
    await value.getByRole("button", { name: /^Hide the credentials/ }).click();
    expect(await page.content()).not.toContain("planted-7f3a");
  });
});

describe("versions", () => {
  const known = (brainVersion: string) =>
    JSON.stringify({
      packages: { "@svc/brain": brainVersion },
      schema_version: 1,
      generated_at: "2026-11-02T10:00:00Z",
      generated_by: "release of the test",
      canonical_url: "https://versions.example.org/svc.json",
    });

  test("stay as they are when a check fails, with the reason, and are those of the manifest after one", async () => {
    const { page, faults } = await open("/admin/versions");
    await row(page, /@svc\/brain/)
      .getByText("current")
      .waitFor();
    await page.getByText("bundled with this release").waitFor();

    source.answerWith((response) => response.end("<html>"));
    await page.getByRole("button", { name: "Check for updates" }).click();
    await page.getByText("Couldn't check for updates.").waitFor();
    await page.getByText("the version check did not return a valid version manifest").waitFor();
    await row(page, /@svc\/brain/)
      .getByText("current")
      .waitFor();

    source.answerWith((response) => response.end(known("99.0.0")));
    await page.getByRole("button", { name: "Check for updates" }).click();
    await row(page, /@svc\/brain/)
      .getByText("update available")
      .waitFor();
    await page.getByText("release of the test").waitFor();
    await page.getByText("https://versions.example.org/svc.json").waitFor();
    // URLs in a manifest are text, not links.
    expect(await page.locator("main a[href^=http]").count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

describe("the health of the instance", () => {
  test("is a row for each subsystem, also when one failed", async () => {
    const { page, faults } = await open("/admin/health");
    for (const name of ["database", "migrations", "audit chain", "leadership"]) {
      expect(await row(page, new RegExp(name)).textContent()).toMatch(/ok.*now/);
    }
    const { database } = brain.running.brain;
    const { state_hmac } = await database.read
      .selectFrom("audit_chain_state")
      .select("state_hmac")
      .executeTakeFirstOrThrow();
    const seal = (value: string) =>
      database.write((tx) => tx.updateTable("audit_chain_state").set({ state_hmac: value }).execute());
    await seal("0");
    try {
      await page.clock.install();
      await page.reload();
      await page.getByText("A subsystem failed.").waitFor();
      expect(await row(page, /audit chain/).textContent()).toMatch(
        /failed.*not since you opened this page.*ChainIntegrityError/,
      );
      expect(await row(page, /database/).textContent()).toMatch(/ok.*now/);
      expect(await axeFaults(page)).toEqual([]);
    } finally {
      await seal(state_hmac);
    }
    await page.clock.runFor(16_000);
    await page.getByText("All subsystems are working.").waitFor();
    expect(faults).toEqual([]);
  });

  test("can be taken away without secrets", async () => {
    const { page } = await open("/admin/health");
    await page.getByText("All subsystems are working.").waitFor();
    await page.getByRole("heading", { name: "System" }).waitFor();
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Copy diagnostic bundle" }).click();
        return page.evaluate(() => navigator.clipboard.readText());
      })
      .toContain("SVC_VERSION_CHECK_URL");
    const text = await page.evaluate(() => navigator.clipboard.readText());
    const bundle = JSON.parse(text);
    expect(bundle.health.checks.database.status).toBe("ok");
    expect(bundle.settings.SVC_METRICS_AUTH_TOKEN).toEqual({ source: "environment", value: "***" });
    expect(text).not.toContain("planted");
  });
});

test("the user menu and the palette lead an instance admin to these pages", async () => {
  const { page } = await open("/admin/settings");
  await page.getByRole("button", { name: /user menu/ }).click();
  await page.getByRole("group", { name: "User menu" }).getByRole("link", { name: "Health" }).click();
  await page.waitForURL(/admin\/health/);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("versions");
  await page.keyboard.press("Enter");
  await page.waitForURL(/admin\/versions/);
});
