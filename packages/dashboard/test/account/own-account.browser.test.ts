import { enrollSecondFactor } from "@svc/testkit";
import { signIn, type TestBrain, testPassword } from "@svc/testkit/brain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

test("profile and security are reached from the palette and by the links of the account", async () => {
  const { page, faults } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox").fill("sessions");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Security" }).waitFor();
  const nav = page.getByRole("navigation", { name: "Your account" });
  await nav.getByRole("link", { name: "Profile" }).click();
  await page.getByRole("heading", { level: 1, name: "Profile" }).waitFor();
  await nav.getByRole("link", { name: "Appearance" }).click();
  await page.getByRole("heading", { level: 1, name: "Appearance" }).waitFor();
  expect(faults).toEqual([]);
});

test("names and time zone can be changed, the email can't, and an error is shown at its field", async () => {
  const { page, faults } = await openScreen(brain, { cookie: brain.as.operator.cookie });
  await page.goto("/me/profile");
  const save = page.getByRole("button", { name: "Save changes" });
  await expect.poll(() => save.getAttribute("aria-disabled")).toBe("true");
  expect(await page.getByLabel("Email").getAttribute("readonly")).not.toBe(null);
  await page.getByLabel("Display name").fill("Olga");
  await page.getByLabel("Last name").fill("Perator");
  await page.getByLabel("Time zone").fill("Europe/Nowhere");
  await save.click();
  await expect.poll(() => page.getByLabel("Time zone").getAttribute("aria-invalid")).toBe("true");
  expect(await page.getByLabel("Display name").inputValue()).toBe("Olga");

  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await save.click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("button", { name: /user menu of Olga/ }).waitFor();
  expect((await brain.as.operator.get("/auth/me")).body).toMatchObject({
    email: "operator@example.org",
    display_name: "Olga",
    last_name: "Perator",
    timezone: "Europe/Berlin",
  });
  await page.getByLabel("Last name").fill("");
  await save.click();
  await page.getByText("Saved.").waitFor();
  expect((await brain.as.operator.get("/auth/me")).body.last_name).toBe(null);
  expect(faults).toEqual([]);
});

test("sessions are listed with this one marked; one is revoked, and then all others", async () => {
  await signIn(brain.url, "auditor@example.org", testPassword);
  await signIn(brain.url, "auditor@example.org", testPassword);
  const { page, faults } = await openScreen(brain, { cookie: brain.as.auditor.cookie });
  await page.goto("/me/security");
  const sessions = page.getByRole("region", { name: "Sessions", exact: true });
  const rows = sessions.getByRole("row").filter({ has: page.getByRole("cell") });
  await expect.poll(() => rows.count()).toBe(3);
  expect(await rows.first().textContent()).toContain("current");
  expect(await rows.first().getByRole("button").count()).toBe(0);

  await rows
    .nth(1)
    .getByRole("button", { name: /^Revoke/ })
    .click();
  await sessions.getByText("1 session revoked.").waitFor();
  await expect.poll(() => rows.count()).toBe(2);
  await signIn(brain.url, "auditor@example.org", testPassword);
  await sessions.getByRole("button", { name: "Revoke all others" }).click();
  await sessions.getByText("2 sessions revoked.").waitFor();
  await expect.poll(() => rows.count()).toBe(1);
  expect(await sessions.getByRole("button", { name: "Revoke all others" }).count()).toBe(0);
  expect((await brain.as.auditor.get("/auth/sessions")).body.items).toHaveLength(1);
  expect(faults).toEqual([]);
});

test("devices are trusted, renamed and revoked; codes are replaced; the factor is disabled with password and code", async () => {
  const client = await brain.addMember("dana", "viewer");
  const factor = await enrollSecondFactor(client);
  const { page, faults } = await openScreen(brain, { cookie: client.cookie });
  await page.goto("/me/security");
  const devices = page.getByRole("region", { name: "Trusted devices" });
  await devices.getByText("Every sign-in needs a code.").waitFor();
  await devices.getByRole("button", { name: "Trust this browser" }).click();
  await devices.getByRole("cell", { name: /current$/ }).waitFor();
  expect(await devices.getByRole("button", { name: "Trust this browser" }).count()).toBe(0);
  await devices.getByRole("button", { name: /^Rename/ }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("The laptop");
  await page.keyboard.press("Enter");
  await devices.getByRole("cell", { name: /^The laptop/ }).waitFor();
  await devices.getByRole("button", { name: "Revoke The laptop" }).click();
  await devices.getByText("The laptop is no longer trusted.").waitFor();
  await devices.getByRole("cell", { name: /^revoked/ }).waitFor();

  const second = page.getByRole("region", { name: "Second factor" });
  await second.getByText("10 recovery codes left.").waitFor();
  await second.getByRole("button", { name: "Create recovery codes" }).click();
  await page.getByRole("button", { name: "Create codes" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("list", { name: "Recovery codes" }).waitFor();
  expect(await dialog.getByRole("list", { name: "Recovery codes" }).textContent()).not.toContain(
    factor.recoveryCodes[0],
  );
  // This also holds after a click has moved the focus out of the dialog.
  await dialog.getByText("These codes are shown only once.").click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await dialog.getByText("Save the codes first").first().waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByLabel("I've saved these codes").check({ force: true });
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });

  await second.getByRole("button", { name: "Disable" }).click();
  await dialog.getByLabel("Password").fill("not the password");
  await dialog.getByLabel("Six-digit code").fill("000000");
  await dialog.getByRole("button", { name: "Disable second factor" }).click();
  await dialog.getByText("That password is incorrect, or the account is locked").waitFor();
  await dialog.getByLabel("Password").fill(testPassword);
  await dialog.getByRole("button", { name: "Disable second factor" }).click();
  await dialog.getByText("That code is incorrect or has expired.").waitFor();
  await dialog.getByLabel("Six-digit code").fill(factor.code());
  await dialog.getByRole("button", { name: "Disable second factor" }).click();
  await second.getByRole("link", { name: "Set up an app" }).waitFor();
  expect(await devices.getByRole("button", { name: "Trust this browser" }).count()).toBe(0);
  expect((await client.get("/auth/mfa/status")).body.enrolled).toBe(false);
  expect(faults).toEqual([]);
});
