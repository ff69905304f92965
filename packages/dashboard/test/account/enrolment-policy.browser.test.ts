import { totpCode } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";
import { signIn } from "../window/second-factor.ts";

describe("past the deadline for a second factor", () => {
  let brain: TestBrain;
  beforeAll(async () => {
    brain = await startBrainWithSite({ env: { SVC_MFA_ENFORCE_FOR_ALL: "true", SVC_MFA_ENROLLMENT_GRACE_DAYS: "0" } });
  });
  afterAll(() => brain?.stop());

  test("a session is redirected to the enrollment from every page, can sign out there, and continues once it is done", async () => {
    const agents = `/p/${brain.project.slug}/agents`;
    const { page, faults } = await openScreen(brain);
    await signIn(page, "viewer@example.org", agents);
    await page.waitForURL(/\/login\/enroll[?]next=/);
    await page.getByText("The deadline passed on").waitFor();
    expect(await page.getByRole("link", { name: "Not now" }).count()).toBe(0);
    for (const path of ["/", "/me/security", agents]) {
      await page.goto(path);
      await page.waitForURL(/\/login\/enroll/);
    }
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/\/login[?]next=/);

    await signIn(page, "viewer@example.org", page.url());
    await page.waitForURL(/\/login\/enroll[?]next=/);
    await page.getByRole("img", { name: /^QR code/ }).waitFor();
    const secret = ((await page.locator("main code").textContent()) ?? "").replaceAll(" ", "");
    await page.getByRole("button", { name: "Next: enter a code" }).click();
    await page.getByLabel("Six-digit code").fill(totpCode(secret, new Date()));
    await page.keyboard.press("Enter");
    await page.getByLabel("I've saved these codes").check({ force: true });
    await page.getByRole("button", { name: "Done" }).click();
    await page.waitForURL(`**${agents}`);
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    expect(faults).toEqual([]);
  });
});

describe("before the deadline for a second factor", () => {
  let brain: TestBrain;
  beforeAll(async () => {
    brain = await startBrainWithSite({ env: { SVC_MFA_ENFORCE_FOR_ALL: "true" } });
  });
  afterAll(() => brain?.stop());

  test("a notice counts the days on every page, and leads to the enrollment and back", async () => {
    const { page, faults } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
    for (const path of ["/", `/p/${brain.project.slug}/queues`]) {
      await page.goto(path);
      const notice = page.getByRole("region", { name: "Notice" });
      await notice.getByText("requires a second factor").waitFor();
      await notice.getByText(/^[67] days left[.]$/).waitFor();
    }
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Set up" }).click();
    await page.waitForURL(/\/login\/enroll[?]next=/);
    await page.getByRole("link", { name: "Not now" }).click();
    await page.waitForURL(`**/p/${brain.project.slug}/queues`);
    expect(faults).toEqual([]);
  });

  test("that passes while the enrollment is open closes its way out", async () => {
    const { page } = await openScreen(brain, { cookie: brain.as.auditor.cookie });
    const deadline = new Date(Date.now() + 5 * 60_000).toISOString();
    await page.route("**/api/v1/auth/me", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), mfa_enrollment_deadline: deadline } });
    });
    await page.clock.install();
    await page.goto("/login/enroll");
    await page.getByRole("link", { name: "Not now" }).waitFor();
    await page.clock.fastForward(6 * 60_000);
    await page.getByText("The deadline passed on").waitFor();
    expect(await page.getByRole("link", { name: "Not now" }).count()).toBe(0);
  });

  test("that comes while a page is open leads from it to the enrollment", async () => {
    const { page, faults } = await openScreen(brain, { cookie: brain.as.operator.cookie });
    await page.goto("/me/profile");
    await page.getByLabel("First name").waitFor();
    // It is part of the first paint: later content would move the page under the pointer, and a click would be lost.
    expect(await page.getByRole("region", { name: "Notice" }).getByRole("status").count()).toBe(1);
    const json = {
      error: "mfa_enrollment_required",
      message: "no",
      details: { deadline: "2026-01-01T00:00:00Z" },
      request_id: "r",
    };
    await page.route("**/api/v1/auth/sessions", (route) => route.fulfill({ status: 403, json }));
    await page.getByRole("link", { name: "Security" }).click();
    await page.waitForURL(/\/login\/enroll[?]next=[/]me[/]security/);
    await page.getByRole("heading", { level: 1, name: "Set up a second factor" }).waitFor();
    expect(faults).toEqual([]);
  });
});
