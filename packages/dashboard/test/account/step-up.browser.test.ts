import { enrollSecondFactor } from "@svc/testkit";
import { type ApiClient, signIn, type TestBrain, testPassword } from "@svc/testkit/brain";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

/** Moves the last password or code entry 16 minutes into the past. */
const letProofsAge = () =>
  brain.running.brain.database.write((tx) =>
    tx
      .updateTable("sessions")
      .set({ last_proof_at: new Date(Date.now() - 16 * 60_000) })
      .execute(),
  );

const open = async ({ cookie }: ApiClient, path: string, heading: string) => {
  const screen = await openScreen(brain, { cookie });
  await screen.page.goto(path);
  await screen.page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  const asked = screen.page.getByRole("dialog", { name: "Confirm it's you" });
  const fillKey = async (name: string) => {
    await screen.page.getByRole("button", { name: "Create key" }).click();
    await screen.page.getByRole("dialog").getByLabel("Name").fill(name);
    const scope = screen.page.getByRole("dialog").getByRole("checkbox", { name: "home:read", exact: true });
    await scope.check({ force: true });
    await screen.page.keyboard.press("Enter");
  };
  return { ...screen, asked, fillKey };
};

const focused = (field: Locator) => field.evaluate((element) => element === document.activeElement);

describe("a new API key 16 minutes after the sign-in", () => {
  test("asks for the password in a dialog that loads only then, and is made once that is right", async () => {
    const { page, faults, asked, fillKey } = await open(brain.as.viewer, "/me/api-keys", "API keys");
    const loaded: string[] = [];
    page.on("request", (request) => {
      if (/VerifyDialog/.test(request.url())) loaded.push(request.url());
    });
    await letProofsAge();
    expect(loaded).toEqual([]);
    await page.getByRole("button", { name: "Create key" }).click();
    expect(await focused(page.getByRole("dialog").getByLabel("Name"))).toBe(true);
    await page.keyboard.press("Escape");
    await fillKey("deploy");
    await asked.waitFor();
    expect(await focused(asked.getByLabel("Password"))).toBe(true);
    expect(loaded.length).toBeGreaterThan(0);
    expect(await asked.getByRole("button", { name: "Use a code instead" }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    await asked.getByLabel("Password").fill("not the password");
    await page.keyboard.press("Enter");
    await asked.getByText("That password is incorrect, or the account is locked").waitFor();
    await asked.getByLabel("Password").fill(testPassword);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "API key deploy created" }).waitFor();
    expect((await brain.as.viewer.get("/api-keys")).body).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  test("is not made when the dialog is cancelled, and what was typed stays", async () => {
    const { page, asked, fillKey } = await open(brain.as.operator, "/me/api-keys", "API keys");
    await letProofsAge();
    await fillKey("unsure");
    await asked.getByRole("button", { name: "Cancel" }).click();
    await asked.waitFor({ state: "detached" });
    await page.getByText("You didn't confirm that it's you.").waitFor();
    expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("unsure");
    expect((await brain.as.operator.get("/api-keys")).body).toEqual([]);
  });

  test("takes a code of the second factor instead of the password", async () => {
    const client = await brain.addMember("careful", "viewer");
    const factor = await enrollSecondFactor(client);
    const { page, faults, asked, fillKey } = await open(client, "/me/api-keys", "API keys");
    await letProofsAge();
    await fillKey("by code");
    await asked.getByLabel("Password").waitFor();
    await asked.getByRole("button", { name: "Use a code instead" }).click();
    await asked.getByLabel("Six-digit code").fill(factor.code());
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "API key by code created" }).waitFor();
    expect(faults).toEqual([]);
  });
});

test("setting a second factor up asks for the password again", async () => {
  const client = await brain.addMember("enroller", "viewer");
  const { page, asked } = await open(client, "/me/security", "Security");
  await letProofsAge();
  await page.getByRole("link", { name: "Set up an app" }).click();
  await asked.getByLabel("Password").fill(testPassword);
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
});

test("the security page shows what happened to the account, and a new password can end the API keys", async () => {
  const client = await brain.addMember("owner", "viewer");
  await client.post("/api-keys", { name: "nightly", scopes: ["home:read"] });
  // The first browser of an account causes no notice.
  for (let browser = 1; browser <= 2; browser += 1) await signIn(brain.url, "owner@example.org", testPassword);
  const { page, faults } = await open(client, "/me/security", "Security");
  const history = page.getByRole("region", { name: "Security history" }).first();
  await history.getByText('API key "nightly" created').waitFor();
  await history.getByText("Sign-in from a new browser").waitFor();
  expect(await history.getByRole("cell", { name: "127.0.0.1" }).count()).toBe(2);
  expect(await axeFaults(page)).toEqual([]);
  await page.getByLabel("Current password").fill(testPassword);
  await page.getByLabel("New password", { exact: true }).fill("another horse battery");
  await page.getByLabel("Revoke my 1 API key as well").check({ force: true });
  await page.getByRole("button", { name: "Change password" }).click();
  await history.getByText("Password changed, 1 API key revoked").waitFor();
  await page.getByLabel("Revoke my 1 API key as well").waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

test("an administrator sees a user's API keys and revokes all of them", async () => {
  const client = await brain.addMember("leaver", "viewer");
  for (const name of ["nightly", "weekly"]) await client.post("/api-keys", { name, scopes: ["home:read"] });
  const { page, faults } = await open(brain.as.root, "/admin/users", "Users");
  await page.getByRole("button", { name: "Actions of leaver" }).click();
  await page.getByRole("group", { name: "Actions of leaver" }).getByRole("button", { name: "API keys" }).click();
  const dialog = page.getByRole("dialog", { name: "API keys of leaver" });
  await dialog.getByRole("row", { name: /^nightly/ }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Revoke 2 keys" }).click();
  await dialog.getByText("2 API keys revoked.").waitFor();
  expect((await client.get("/api-keys")).body).toEqual([]);
  expect(faults).toEqual([]);
});
