import { enrollSecondFactor, type SecondFactor } from "@svc/testkit";
import { type ApiClient, type TestBrain, testPassword } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startBrainWithSite } from "./screen.ts";

/** Started before the first test of the file that uses it. */
export interface CodeSite {
  brain: TestBrain;
  /** Creates a user with a second factor, and a client with a verified session. */
  carefulUser(name: string): Promise<{ email: string; client: ApiClient; factor: SecondFactor }>;
}

/** A brain that accepts many codes per minute, for one test file. */
export function openCodeSite(): CodeSite {
  const opened = {
    async carefulUser(name: string) {
      const client = await opened.brain.addMember(name, "admin");
      return { email: `${name}@example.org`, client, factor: await enrollSecondFactor(client) };
    },
  } as CodeSite;
  beforeAll(async () => {
    opened.brain = await startBrainWithSite({ env: { SVC_MFA_VERIFICATION_RATE_PER_MIN: "100" } });
  });
  afterAll(() => opened.brain?.stop());
  return opened;
}

/** The first step of a sign-in, starting at `path`. */
export async function signIn(page: Page, email: string, path = "/login"): Promise<void> {
  await page.goto(path);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(testPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export async function confirm(page: Page, code: string, label = "Six-digit code"): Promise<void> {
  await page.getByLabel(label).fill(code);
  await page.getByRole("button", { name: "Confirm" }).click();
}
