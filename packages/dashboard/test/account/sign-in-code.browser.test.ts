import { enrollSecondFactor } from "@svc/testkit";
import { signIn as signInByApi, testPassword } from "@svc/testkit/brain";
import { describe, expect, test } from "vitest";
import { axeFaults, openScreen } from "../window/screen.ts";
import { confirm, openCodeSite, signIn } from "../window/second-factor.ts";

const site = openCodeSite();

const agents = () => `/p/${site.brain.project.slug}/agents`;

describe("signing in with a second factor", () => {
  test("asks for a code on its own page, then opens the requested page", async () => {
    const { email, factor } = await site.carefulUser("second");
    const { page, faults } = await openScreen(site.brain);
    await signIn(page, email, agents());
    await page.waitForURL(/\/login\/mfa[?]next=/);
    await page.getByText(`Signing in as ${email}`).waitFor();

    // No other page is open to the session yet.
    await page.goto(agents());
    await page.waitForURL(/\/login\/mfa[?]next=/);
    await confirm(page, "000000");
    await page.getByText("That code is incorrect or has expired.").waitFor();
    expect(await page.getByLabel("Six-digit code").inputValue()).toBe("000000");
    await confirm(page, factor.code());
    await page.waitForURL(`**${agents()}`);
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();

    await page.goto("/login/mfa?next=/me/profile");
    await page.waitForURL("**/me/profile");
    expect(faults).toEqual([]);
  });

  test("takes a recovery code, says how many are left, and can be given up", async () => {
    const { email, factor } = await site.carefulUser("lostphone");
    const { page, faults } = await openScreen(site.brain);
    await signIn(page, email);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/login");
    await signIn(page, email);
    await page.getByRole("button", { name: "Use a recovery code instead" }).click();
    const field = page.getByLabel("Recovery code");
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await confirm(page, (factor.recoveryCodes[0] ?? "").toLowerCase(), "Recovery code");
    await page.getByText("9 recovery codes left").waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("in a remembered browser asks for no code, and that browser is among the trusted ones", async () => {
    const { email, factor } = await site.carefulUser("remember");
    const { page } = await openScreen(site.brain);
    await signIn(page, email);
    await page.getByLabel(/^Trust this browser/).check({ force: true });
    await confirm(page, factor.code());
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    await page.getByRole("button", { name: /user menu/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/login");
    await signIn(page, email, "/login?next=/me/security");
    await page.waitForURL("**/me/security");
    const devices = page.getByRole("region", { name: "Trusted devices" });
    await devices.getByRole("cell", { name: /current$/ }).waitFor();
  });

  test("after too many wrong codes says that the factor is locked, for a right code too", async () => {
    const { email, factor } = await site.carefulUser("locked");
    const { page } = await openScreen(site.brain);
    await signIn(page, email);
    for (let tries = 0; tries < 5; tries += 1) {
      const answered = page.waitForResponse((response) => response.url().endsWith("/mfa/verify"));
      await confirm(page, "000000");
      expect((await answered).status()).toBe(422);
      await page.getByRole("button", { name: "Confirm" }).waitFor();
    }
    await confirm(page, factor.code());
    await page.getByText("Too many wrong codes. Your second factor is locked").waitFor();
  });

  test("while a factor that is set up elsewhere makes a session wait leads to its code and back", async () => {
    const client = await site.brain.addMember("elsewhere", "viewer");
    const { page } = await openScreen(site.brain, { cookie: client.cookie });
    await page.goto("/me/profile");
    await page.getByLabel("First name").waitFor();
    const other = await signInByApi(site.brain.url, "elsewhere@example.org", testPassword);
    const factor = await enrollSecondFactor(other);

    await page.getByRole("link", { name: "Security" }).click();
    await page.waitForURL(/\/login\/mfa/);
    await confirm(page, factor.code());
    await page.waitForURL("**/me/security");
    await page.getByText("Authenticator app set up on").waitFor();
  });
});
