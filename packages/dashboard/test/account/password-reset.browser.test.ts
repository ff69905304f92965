import { type TestBrain, testPassword } from "@svc/testkit/brain";
import { type MailServer, startMailServer } from "@svc/testkit/services/mail";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

const newPassword = "Violet-Harbour-71";

let brain: TestBrain;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  const env = { SVC_MAIL_URL: mail.url, SVC_MAIL_FROM: "svc@example.org" };
  brain = await startBrainWithSite({ env });
});
afterAll(async () => {
  await brain?.stop();
  await mail?.stop();
});

/** The URL and referrer of each request of the page. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on("request", (request) => seen.push(`${request.url()} ${request.headers().referer ?? ""}`));
  return seen;
}

async function askFor(page: Page, email: string): Promise<void> {
  await page.goto("/login");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  // The sign-in has a field of this name as well.
  await page.getByRole("heading", { level: 1, name: "Reset your password" }).waitFor();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByRole("heading", { level: 1, name: "Check your email" }).waitFor();
}

/** Path and fragment of the newest link, and its token. */
async function takeLink(): Promise<{ path: string; token: string }> {
  const { text } = await mail.takeAbout("Reset your password");
  const link = new URL(/https?:\S+/.exec(text)?.[0] ?? "");
  return { path: link.pathname + link.hash, token: link.hash.slice("#token=".length) };
}

describe("a forgotten password", () => {
  test("is replaced by the link of a mail, whose token is in no address, and then the old sessions have ended", async () => {
    const { page, faults } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
    const seen = watch(page);
    await askFor(page, "viewer@example.org");
    expect(await axeFaults(page)).toEqual([]);
    const { path, token } = await takeLink();
    expect(token.length).toBeGreaterThan(20);

    await page.goto(path);
    const field = page.getByLabel("New password", { exact: true });
    await field.waitFor();
    expect(page.url()).toBe(`${brain.url}/reset/confirm`);
    expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(token);
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);

    const rules = page.getByRole("listitem");
    expect(await rules.filter({ hasText: "(met)" }).count()).toBe(0);
    await field.fill("Short-7");
    expect(await rules.filter({ hasText: "(met)" }).allTextContents()).toEqual([expect.stringContaining("Three of")]);
    await field.fill("violet-harbour");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("This must mix lowercase, uppercase, digits and symbols, or be longer.").waitFor();
    expect(await field.inputValue()).toBe("violet-harbour");

    await field.fill(newPassword);
    expect(await rules.filter({ hasText: "(met)" }).count()).toBe(2);
    await page.getByRole("button", { name: "Show the new password" }).click();
    expect(await field.getAttribute("type")).toBe("text");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("heading", { level: 1, name: "Password changed" }).waitFor();
    expect((await brain.as.viewer.get("/auth/me")).status).toBe(401);

    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Email").fill("viewer@example.org");
    await page.getByLabel("Password").fill(newPassword);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    expect(seen.filter((request) => request.includes(token))).toEqual([]);
    expect(faults).toEqual([]);

    await page.goto(path);
    await page.getByLabel("New password", { exact: true }).fill(`${newPassword}!`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "This link is not valid" }).waitFor();
    await page.getByRole("link", { name: "Request a link" }).click();
    await page.waitForURL("**/reset");
  });

  test("with a truncated link says so", async () => {
    const { page } = await openScreen(brain);
    await page.goto("/reset/confirm#token=cut");
    await page.getByLabel("New password", { exact: true }).fill(newPassword);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "This link is not valid" }).waitFor();
  });

  test("of an address without an account gets the same answer", async () => {
    const { page } = await openScreen(brain);
    await askFor(page, "no-one@example.org");
    await page.getByText("If no-one@example.org has an account here").waitFor();
  });

  test("needs the link again after a reload, and accepts another link on the open page", async () => {
    const { page } = await openScreen(brain);
    await page.goto("/reset/confirm#token=first-of-none");
    await page.getByLabel("New password", { exact: true }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Open the link again" }).waitFor();

    await askFor(page, "operator@example.org");
    const { path, token } = await takeLink();
    await page.goto("/reset/confirm");
    await page.getByRole("heading", { level: 1, name: "Open the link again" }).waitFor();
    await page.goto(path);
    await page.getByLabel("New password", { exact: true }).fill(newPassword);
    expect(page.url()).not.toContain(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Password changed" }).waitFor();
  });
});

test("a password is changed by its owner, by the policy of the server, and every other session ends", async () => {
  const { page, faults } = await openScreen(brain, { cookie: brain.as.auditor.cookie });
  await page.goto("/me/security");
  const panel = page.getByRole("region", { name: "Password", exact: true });
  await panel.getByText("At least 12 characters").waitFor();
  expect(await panel.textContent()).not.toContain("unless this server");
  await panel.getByLabel("Current password").fill("not the current one");
  await panel.getByLabel("New password", { exact: true }).fill(newPassword);
  await panel.getByRole("button", { name: "Change password" }).click();
  await panel.getByText("That password is incorrect, or the account is locked").waitFor();
  expect(await panel.getByLabel("New password", { exact: true }).inputValue()).toBe(newPassword);

  await panel.getByLabel("Current password").fill(testPassword);
  await panel.getByLabel("New password", { exact: true }).fill("aaaaaaaaaaaaaaaa");
  await panel.getByRole("button", { name: "Change password" }).click();
  await panel.getByText("This must not repeat the same characters.").waitFor();
  await panel.getByLabel("New password", { exact: true }).fill(newPassword);
  await panel.getByRole("button", { name: "Change password" }).click();
  await panel.getByText("Password changed. All other sessions have ended.").waitFor();
  expect(await panel.getByLabel("Current password").inputValue()).toBe("");
  expect((await brain.as.auditor.get("/auth/me")).status).toBe(401);
  await page.reload();
  await panel.getByText("At least 12 characters").waitFor();
  expect(faults).toEqual([]);
});
