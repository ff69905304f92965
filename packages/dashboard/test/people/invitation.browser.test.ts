import { type TestBrain, testPassword } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

const project = () => `/p/${brain.project.slug}`;

async function invite(email: string, role = "viewer"): Promise<string> {
  const { body, status } = await brain.as.root.post(`/projects/${brain.project.slug}/invitations`, { email, role });
  expect(status).toBe(201);
  return body.accept_url_path;
}

describe("an invitation", () => {
  test("of a new user creates an account, signs in and opens the project, without the token in any URL", async () => {
    const path = await invite("nora@example.org", "operator");
    const token = path.slice(path.indexOf("=") + 1);
    const { page, faults } = await openScreen(brain);
    const seen: string[] = [];
    page.on("request", (request) => seen.push(`${request.url()} ${request.headers().referer ?? ""}`));
    await page.goto(path);
    await page.getByText("nora@example.org is invited to the project Shop as operator").waitFor();
    expect(page.url()).toBe(`${brain.url}/invite`);

    await page.getByLabel("Your name").fill("Nora");
    await page.getByLabel("Password", { exact: true }).fill("nora-nora-no");
    await page.getByRole("button", { name: "Create account and join" }).click();
    await page.getByText("This must mix lowercase, uppercase, digits and symbols, or be longer.").waitFor();
    expect(await page.getByLabel("Your name").inputValue()).toBe("Nora");
    await page.getByLabel("Password", { exact: true }).fill("Violet-Harbour-71");
    await page.getByRole("button", { name: "Create account and join" }).click();
    await page.waitForURL(`**${project()}`);
    await page.getByRole("button", { name: /user menu of Nora/ }).waitFor();
    expect(seen.filter((request) => request.includes(token))).toEqual([]);
    expect(faults).toEqual([]);

    await page.goto(path);
    await page.getByRole("heading", { level: 1, name: "This invitation is no longer valid" }).waitFor();
  });

  test("of an account asks it to sign in, and comes back to accept", async () => {
    const path = await invite("stranger@example.org");
    const { page, faults } = await openScreen(brain);
    await page.goto(path);
    await page.getByRole("link", { name: "Sign in to accept" }).click();
    await page.getByLabel("Email").fill("stranger@example.org");
    await page.getByLabel("Password").fill(testPassword);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await page.waitForURL(`**${project()}`);
    expect(faults).toEqual([]);
  });

  test("of another account than the one that is signed in offers to change over", async () => {
    const path = await invite("other@example.org");
    await brain.addMember("other", "viewer");
    const { page } = await openScreen(brain, { cookie: brain.as.operator.cookie });
    await page.goto(path);
    await page.getByText("You are signed in as operator@example.org").waitFor();
    await page.getByRole("button", { name: "Sign out and switch account" }).click();
    await page.getByLabel("Email").fill("other@example.org");
    await page.getByLabel("Password").fill(testPassword);
    await page.getByRole("button", { name: "Sign in" }).click();

    // Existing members keep their role.
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await page.getByText("You are already a member of this project.").waitFor();
    await page.getByRole("link", { name: "Open the project" }).click();
    await page.waitForURL(`**${project()}`);
  });

  test("whose account is made while its page is open asks to sign in to that", async () => {
    const path = await invite("late@example.org");
    const { page } = await openScreen(brain);
    await page.goto(path);
    await page.getByLabel("Your name").fill("Late");
    await page.getByLabel("Password", { exact: true }).fill("Violet-Harbour-71");
    await brain.addMember("late", "viewer");
    await page.getByRole("button", { name: "Create account and join" }).click();
    await page.getByRole("link", { name: "Sign in to accept" }).waitFor();
  });
});
