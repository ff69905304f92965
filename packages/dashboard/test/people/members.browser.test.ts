import type { ApiClient, TestBrain } from "@svc/testkit/brain";
import { type MailServer, startMailServer } from "@svc/testkit/services/mail";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

const openMembers = async (caller: ApiClient, of: TestBrain = brain, slug = of.project.slug) => {
  const screen = await openScreen(of, { cookie: caller.cookie });
  await screen.page.goto(`/p/${slug}/settings/members`);
  await screen.page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
  return screen;
};
const dialogOf = (page: Page) => page.getByRole("dialog");
const rowOf = (page: Page, email: string) => page.getByRole("row", { name: email });
const menuOf = async (page: Page, name: string) => {
  await page.getByRole("button", { name: `Actions of ${name}`, exact: true }).click();
  return page.getByRole("group", { name: `Actions of ${name}`, exact: true });
};
const choose = (page: Page, role: string) =>
  dialogOf(page)
    .getByRole("radio", { name: new RegExp(`^${role} `) })
    .check({ force: true });

describe("members", () => {
  test("are added by address, given another role, and removed", async () => {
    const { page, faults } = await openMembers(brain.as.root);
    await page.getByRole("button", { name: "Add member" }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel("Account email").fill("unknown@example.org");
    await dialog.getByRole("button", { name: "Add member" }).click();
    await dialog.getByText("No account has this address. Send an invitation instead.").waitFor();
    await dialog.getByLabel("Account email").fill("operator@example.org");
    await dialog.getByRole("button", { name: "Add member" }).click();
    await dialog.getByText("This account already has a role in the project.").waitFor();
    await dialog.getByLabel("Account email").fill("Stranger@example.org");
    await choose(page, "auditor");
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add member" }).click();
    await rowOf(page, "stranger@example.org").getByText("auditor").waitFor();
    expect((await brain.as.stranger.get(`/projects/${brain.project.slug}`)).status).toBe(200);

    await (await menuOf(page, "stranger")).getByRole("button", { name: "Change role" }).click();
    const save = dialog.getByRole("button", { name: "Change role" });
    await expect.poll(() => save.getAttribute("title")).toBe("Already has this role");
    await choose(page, "operator");
    await save.click();
    await rowOf(page, "stranger@example.org").getByText("operator").waitFor();

    await (await menuOf(page, "stranger")).getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("button", { name: "Remove member" }).click();
    await rowOf(page, "stranger@example.org").waitFor({ state: "detached" });
    expect((await brain.as.stranger.get(`/projects/${brain.project.slug}`)).status).toBe(404);
    expect(faults).toEqual([]);
  });

  test("of whom one is the last admin cannot lose that one, and the page says so first", async () => {
    await brain.as.root.post("/projects", { slug: "solo", name: "Solo" });
    const { page } = await openMembers(brain.as.root, brain, "solo");
    const menu = await menuOf(page, "admin@example.org");
    for (const action of ["Change role", "Remove"]) {
      const entry = menu.getByRole("button", { name: action });
      expect(await entry.textContent()).toContain("The project's last admin. Make someone else admin first.");
      await entry.click({ force: true });
    }
    expect(await dialogOf(page).count()).toBe(0);
  });

  test("are to be seen by all of them and changed by admins only", async () => {
    const { page } = await openMembers(brain.as.viewer);
    await rowOf(page, "operator@example.org").waitFor();
    for (const name of ["Invite", "Add member"]) {
      const button = page.getByRole("button", { name });
      await expect.poll(() => button.getAttribute("title")).toBe("Needs the admin role in this project");
      await button.click({ force: true });
    }
    expect(await dialogOf(page).count()).toBe(0);
    const entry = (await menuOf(page, "operator")).getByRole("button", { name: "Remove" });
    expect(await entry.textContent()).toContain("Needs the admin role in this project");
    expect(await page.getByRole("heading", { name: "Invitations" }).count()).toBe(0);
  });

  test("can be added by instance administrators only; project admins invite", async () => {
    const { page } = await openMembers(await brain.addMember("project-admin", "admin"));
    const add = page.getByRole("button", { name: "Add member" });
    await expect
      .poll(() => add.getAttribute("title"))
      .toMatch(/^Only instance administrators can add an account directly[.] Send an invitation/);
    await expect.poll(() => page.getByRole("button", { name: "Invite" }).getAttribute("aria-disabled")).toBe("false");
  });
});

describe("an invitation", () => {
  test("is a link that is shown once and stays until it was kept; it can be revoked", async () => {
    const { page, faults } = await openMembers(brain.as.admin);
    await page.getByText("An invitation is a single-use link.").waitFor();
    await page.getByRole("button", { name: "Invite" }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel("Email").fill("mira@example.org");
    await choose(page, "operator");
    await dialog.getByLabel("Expires after (days)").fill("3");
    await dialog.getByRole("button", { name: "Invite member" }).click();
    await page.getByRole("heading", { name: "mira@example.org is invited" }).waitFor();
    await dialog.getByText("No email was sent").waitFor();
    const link = new URL(((await dialog.getByRole("region", { name: "link" }).textContent()) ?? "").trim());
    expect([link.origin, link.pathname]).toEqual([brain.url, "/invite"]);
    const token = new URLSearchParams(link.hash.slice(1)).get("token") ?? "";
    const preview = () => brain.as.anonymous.post("/invitations/preview", { token });
    expect((await preview()).body).toMatchObject({ email: "mira@example.org", role: "operator" });
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.getByRole("alert").getByText("Save the link first. It can't be shown again.").waitFor();
    await dialog.getByLabel("I've saved the link and will share it").check({ force: true });
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(token);

    const row = rowOf(page, "mira@example.org");
    expect(await row.textContent()).toMatch(/operator.*admin/);
    await row.getByRole("button", { name: "Revoke invitation for mira@example.org" }).click();
    await dialog.getByRole("button", { name: "Revoke invitation" }).click();
    await row.waitFor({ state: "detached" });
    expect((await preview()).status).toBe(404);
    expect(faults).toEqual([]);
  });

  test("whose address or days mean nothing is refused at the field, and what was typed stays", async () => {
    const { page } = await openMembers(brain.as.admin);
    await page.getByRole("button", { name: "Invite" }).click();
    const dialog = dialogOf(page);
    const errors = [{ loc: ["body", "email"], message: "is no address that mail reaches" }];
    await page.route("**/invitations", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({
            status: 422,
            json: { error: "validation_error", message: "no", details: { errors }, request_id: "r" },
          })
        : route.continue(),
    );
    await dialog.getByLabel("Email").fill("mira@example.org");
    await dialog.getByRole("button", { name: "Invite member" }).click();
    await dialog.getByText("is no address that mail reaches").waitFor();
    expect(await dialog.getByLabel("Email").inputValue()).toBe("mira@example.org");
    await expect
      .poll(() => dialog.getByLabel("Email").evaluate((input) => input === document.activeElement))
      .toBe(true);
  });
});

describe("with a mail server", () => {
  let mail: MailServer;
  let mailing: TestBrain;
  beforeAll(async () => {
    mail = await startMailServer();
    mailing = await startBrainWithSite({ env: { SVC_MAIL_URL: mail.url, SVC_MAIL_FROM: "svc@example.org" } });
  });
  afterAll(async () => {
    await mailing?.stop();
    await mail?.stop();
  });

  test("an invitation says that a mail went out", async () => {
    const { page } = await openMembers(mailing.as.admin, mailing);
    await page.getByRole("button", { name: "Invite" }).click();
    await dialogOf(page).getByLabel("Email").fill("mira@example.org");
    await dialogOf(page).getByRole("button", { name: "Invite member" }).click();
    await dialogOf(page).getByText("An email with this link was sent to mira@example.org.").waitFor();
    expect((await mail.takeAbout("Invitation to Shop")).to).toEqual(["mira@example.org"]);
  });
});
