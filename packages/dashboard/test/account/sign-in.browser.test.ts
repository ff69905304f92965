import { type TestBrain, testPassword } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

async function fillIn(page: Awaited<ReturnType<typeof openScreen>>["page"], email: string, password: string) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

describe("signing in", () => {
  test("returns to the requested page", async () => {
    const { page, faults } = await openScreen(brain);
    await page.goto(`/p/${brain.project.slug}/agents`);
    await page.waitForURL(/\/login[?]next=[^&]+$/);

    await fillIn(page, "viewer@example.org", testPassword);

    await page.waitForURL(`**/p/${brain.project.slug}/agents`);
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("asks nothing of the service that it refuses for lack of a session", async () => {
    const { page } = await openScreen(brain);
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });

    await page.goto(`/p/${brain.project.slug}/agents`);
    await page.getByLabel("Email").waitFor();
    await page.goto("/login");
    await page.getByLabel("Email").waitFor();

    expect(refused).toEqual([]);
    await page.context().close();
  });

  test("with a wrong password says so in one sentence and keeps the address", async () => {
    const { page, faults } = await openScreen(brain);
    await page.goto("/login");

    await fillIn(page, "viewer@example.org", "not the password");

    await page.getByText("The email or password is incorrect.").waitFor();
    expect(await page.getByLabel("Email").inputValue()).toBe("viewer@example.org");
    expect(await page.getByLabel("Password").evaluate((input) => input === document.activeElement)).toBe(true);
    expect(faults).toEqual([]);
  });

  test("does not redirect to another site", async () => {
    const { page } = await openScreen(brain);
    await page.goto("/login?next=//example.com/");

    await fillIn(page, "viewer@example.org", testPassword);

    await page.waitForURL(`${brain.url}/`);
  });
});

describe("signing out", () => {
  test("ends the session on the server", async () => {
    const { page } = await openScreen(brain);
    await page.goto("/login");
    await fillIn(page, "operator@example.org", testPassword);
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");

    await page.getByRole("button", { name: /user menu/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();

    await page.waitForURL("**/login");
    const answer = await fetch(`${brain.url}/api/v1/auth/me`, { headers: { cookie: cookies } });
    expect(answer.status).toBe(401);
  });

  test("elsewhere sends this page to the sign-in, which says why", async () => {
    const { page } = await openScreen(brain);
    await page.goto("/login");
    await fillIn(page, "auditor@example.org", testPassword);
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    await page.context().clearCookies();

    await page.getByRole("link", { name: "Shop" }).click();

    await page.getByText("Your session has ended.").waitFor();
  });
});

test("a project of others is refused inside the shell, not with a blank page", async () => {
  const { page } = await openScreen(brain, { cookie: brain.as.stranger.cookie });
  await page.goto(`/p/${brain.project.slug}/tasks`);
  await page.getByText(`Couldn't open the project ${brain.project.slug}`).waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
});
