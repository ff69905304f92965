import { type ApiClient, anonymous, signIn, type TestBrain, testPassword } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

const openUsers = async (caller: ApiClient = brain.as.root) => {
  const screen = await openScreen(brain, { cookie: caller.cookie });
  await screen.page.goto("/admin/users");
  await screen.page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
  return screen;
};
const dialogOf = (page: Page) => page.getByRole("dialog");
const menuOf = async (page: Page, name: string) => {
  await page.getByRole("button", { name: `Actions of ${name}`, exact: true }).click();
  return page.getByRole("group", { name: `Actions of ${name}`, exact: true });
};
const act = async (page: Page, name: string, action: string) =>
  (await menuOf(page, name)).getByRole("button", { name: action }).click();
const mayCall = async (caller: ApiClient) => (await caller.get("/auth/me")).status;

describe("an account", () => {
  test("is made, changed, given another password, switched off and on, and deleted", async () => {
    const { page, faults } = await openUsers();
    await page.getByRole("button", { name: "Create account" }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel("Email").fill("viewer@example.org");
    await dialog.getByLabel("New password").fill("short");
    await dialog.getByLabel("Display name").fill("Mira");
    await dialog.getByRole("button", { name: "Create account" }).click();
    // The server's error is shown at the field, and the input is kept.
    await dialog.getByText(/^The password /).waitFor();
    await dialog.getByRole("button", { name: "Generate" }).click();
    const password = await dialog.getByLabel("New password").inputValue();
    expect(password).toHaveLength(20);
    expect(await dialog.getByLabel("New password").getAttribute("type")).toBe("text");
    await dialog.getByRole("button", { name: "Create account" }).click();
    await dialog.getByText("An account already has this address.").waitFor();
    await dialog.getByLabel("Email").fill("mira@example.org");
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create account" }).click();
    await dialog.waitFor({ state: "detached" });
    const row = page.getByRole("row", { name: /mira@example[.]org/ });
    await row.waitFor();
    const mira = await signIn(brain.url, "mira@example.org", password);

    await act(page, "Mira", "Edit");
    await dialog.getByText("Can't be changed. For another address, create another account.").waitFor();
    expect(await dialog.getByLabel("Email").count()).toBe(0);
    await dialog.getByLabel("Display name").fill("Mira N.");
    await dialog.getByLabel("Instance administrator").check({ force: true });
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await dialog.waitFor({ state: "detached" });
    await row.getByText("administrator", { exact: true }).waitFor();
    expect((await mira.get("/users")).status).toBe(200);

    await act(page, "Mira N.", "Reset password");
    await dialog.getByText("all sessions of the account").waitFor();
    await dialog.getByLabel("New password").fill("another horse battery");
    await dialog.getByRole("button", { name: "Reset password" }).click();
    await dialog.getByText("All sessions of the account have ended.").waitFor();
    await dialog.getByRole("button", { name: "Copy password" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("another horse battery");
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain("another horse battery");
    expect(await mayCall(mira)).toBe(401);
    const again = await signIn(brain.url, "mira@example.org", "another horse battery");

    await act(page, "Mira N.", "Deactivate");
    await dialog.getByText(/All sessions end immediately/).waitFor();
    await dialog.getByRole("button", { name: "Deactivate" }).click();
    await row.getByText("inactive").waitFor();
    expect(await mayCall(again)).toBe(401);
    await act(page, "Mira N.", "Activate");
    await dialog.getByRole("button", { name: "Activate" }).click();
    await row.getByText("active", { exact: true }).waitFor();

    await act(page, "Mira N.", "Delete");
    const remove = dialog.getByRole("button", { name: "Delete account" });
    await expect.poll(() => remove.getAttribute("title")).toBe("Type the address first");
    await dialog.getByText("API keys, which stop working immediately").waitFor();
    await dialog.getByLabel("Type mira@example.org to confirm").fill("mira@example.org");
    await remove.click();
    await row.waitFor({ state: "detached" });
    const { status } = await anonymous(brain.url).post("/auth/login", {
      email: "mira@example.org",
      password: "another horse battery",
    });
    expect(status).toBe(401);
    expect(faults).toEqual([]);
  });

  test("is reached with all that can be done with it, however long its name and low its row", async () => {
    await brain.as.root.post("/users", {
      email: "someone.with.many.names@department.of.a.subdomain.example.org",
      password: testPassword,
      display_name: "Someone with a name that continues, and continues",
    });
    const viewport = { width: 390, height: 500 };
    const { page } = await openScreen(brain, {
      cookie: brain.as.root.cookie,
      size: "phone",
      settings: { viewport },
    });
    await page.goto("/admin/users");
    const rows = page.getByRole("button", { name: /^Actions of/ });
    await rows.first().waitFor();
    expect(await page.getByRole("region", { name: "Users" }).evaluate((box) => box.scrollWidth)).toBe(viewport.width);
    await rows.last().scrollIntoViewIfNeeded();
    await rows.last().click();
    const box = await page.getByRole("group", { name: /^Actions of/ }).boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
  });

  test("of one's own is guarded before anything is pressed", async () => {
    const { page } = await openUsers();
    const me = "admin@example.org";
    const menu = await menuOf(page, me);
    for (const action of ["Deactivate", "Delete"]) {
      const entry = menu.getByRole("button", { name: action });
      await expect.poll(() => entry.getAttribute("aria-disabled")).toBe("true");
      expect(await entry.textContent()).toContain("You are the last active administrator.");
      await entry.click({ force: true });
    }
    expect(await dialogOf(page).count()).toBe(0);
    await menu.getByRole("button", { name: "Edit" }).click();
    const box = dialogOf(page).getByLabel("Instance administrator");
    await box.click({ force: true });
    expect([await box.isChecked(), await box.getAttribute("aria-disabled")]).toEqual([true, "true"]);
    await dialogOf(page).getByText("Make someone else administrator first.").waitFor();
  });

  test("keeps changes made by someone else during editing", async () => {
    const { body: ada } = await brain.as.root.post("/users", {
      email: "ada@example.org",
      password: testPassword,
      display_name: "Ada",
    });
    const { page } = await openUsers();
    await act(page, "Ada", "Edit");
    await brain.as.root.patch(`/users/${ada.id}`, { is_admin: true });
    await dialogOf(page).getByLabel("First name").fill("Augusta");
    await dialogOf(page).getByRole("button", { name: "Save changes" }).click();
    await dialogOf(page).waitFor({ state: "detached" });
    const { body } = await brain.as.root.get(`/users/${ada.id}`);
    expect(body).toMatchObject({ first_name: "Augusta", display_name: "Ada", is_admin: true });
  });

  test("that someone else deleted in the meantime shows an error", async () => {
    await brain.as.root.post("/users", { email: "deleted@example.org", password: testPassword, display_name: "Gone" });
    const { page } = await openUsers();
    await act(page, "Gone", "Deactivate");
    const { body: users } = await brain.as.root.get("/users");
    const deleted = users.find(({ email }: { email: string }) => email === "deleted@example.org");
    await brain.as.root.delete(`/users/${deleted.id}`);
    await dialogOf(page).getByRole("button", { name: "Deactivate" }).click();
    await dialogOf(page).getByText("Nothing was changed. Not found.").waitFor();
  });
});

describe("the account list", () => {
  test("goes page by page, newest first, and Back goes back", async () => {
    const { database, features } = brain.running.brain;
    const { password_hash: passwordHash = "" } = (await features.users.findByEmail("admin@example.org")) ?? {};
    await database.write(async (tx) => {
      for (let at = 0; at < 60; at += 1) {
        const email = `many-${at}@example.org`;
        await features.users.add(tx, { email, displayName: null, passwordHash, isAdmin: false });
      }
    });
    const { page, faults } = await openUsers();
    await page.getByText("1–50, newest first").waitFor();
    await page.getByRole("row", { name: /many-59@example[.]org/ }).waitFor();
    expect(await page.getByRole("row", { name: /^admin@example[.]org/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("row", { name: /^admin@example[.]org/ }).waitFor();
    expect(page.url()).toContain("page=2");
    expect(await page.getByRole("link", { name: "Older" }).count()).toBe(0);
    await page.goBack();
    await page.getByRole("row", { name: /many-59@example[.]org/ }).waitFor();
    await page.goto("/admin/users?page=70");
    await page.getByText("No accounts on this page").waitFor();
    await page.getByRole("link", { name: "First page" }).click();
    await page.getByRole("row", { name: /many-59@example[.]org/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test("is in the menu of administrators only, and requested by no one else", async () => {
    const { page } = await openScreen(brain, { cookie: brain.as.operator.cookie });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto("/admin/users");
    await page.getByText("Not for your role").waitFor();
    await page.getByRole("button", { name: /user menu/ }).click();
    await page.getByRole("link", { name: "API keys" }).waitFor();
    expect(await page.getByRole("link", { name: "Users" }).count()).toBe(0);
    expect(asked.filter((path) => path.startsWith("/api/v1/users"))).toEqual([]);
  });

  test("is found in user menu and palette of an administrator", async () => {
    const { page } = await openScreen(brain, { cookie: brain.as.root.cookie });
    await page.goto("/");
    await page.getByRole("button", { name: /user menu/ }).click();
    await page.getByRole("link", { name: "Users" }).click();
    await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find or go to" }).fill("api keys");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  });
});
