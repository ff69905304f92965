import { waitFor } from "@svc/testkit";
import type { ApiClient, TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
beforeAll(async () => {
  brain = await startBrainWithSite();
});
afterAll(() => brain?.stop());

const openKeys = async (caller: ApiClient) => {
  const screen = await openScreen(brain, { cookie: caller.cookie });
  await screen.page.goto("/me/api-keys");
  await screen.page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  return screen;
};
const dialogOf = (page: Page) => page.getByRole("dialog");
const tick = (page: Page, scope: string) =>
  dialogOf(page).getByRole("checkbox", { name: scope, exact: true }).check({ force: true });
const act = async (page: Page, name: string, action: string) => {
  await page.getByRole("button", { name: `Actions of ${name}` }).click();
  await page
    .getByRole("group", { name: `Actions of ${name}` })
    .getByRole("button", { name: action })
    .click();
};
/** The status that a script with this token gets. */
const statusOf = async (token: string, path: string) => {
  const { status } = await fetch(`${brain.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  return status;
};

describe("a key", () => {
  test("is created, used, limited to addresses and revoked; its token is shown once until it is saved", async () => {
    const { page, faults } = await openKeys(brain.as.root);
    await page.getByText("No API keys yet").waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = dialogOf(page);
    const mint = dialog.getByRole("button", { name: "Create key" });
    await expect.poll(() => mint.getAttribute("title")).toBe("Select at least one scope");
    await dialog.getByLabel("Name").fill("nightly report");
    await tick(page, "tasks:write");
    // Write includes read, which can't be deselected then.
    const read = dialog.getByRole("checkbox", { name: /^tasks:read[.] Included in another selected scope/ });
    expect([await read.isChecked(), await read.getAttribute("aria-disabled")]).toEqual([true, "true"]);
    await dialog.getByLabel("Restrict to project").selectOption({ label: "Shop" });
    await dialog.getByText("The key can't read or change other projects.").waitFor();
    expect(await dialog.getByText("With these scopes, it can still create projects.").count()).toBe(0);
    await tick(page, "projects:write");
    await dialog.getByText("With these scopes, it can still create projects.").waitFor();
    await dialog.getByLabel("Allowed addresses").fill("127.0.0.9/8");
    await dialog.getByText("Saved as 127.0.0.0/8").waitFor();
    await dialog.getByText(/Your address 127[.]0[.]0[.]1 would be allowed/).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await mint.click();

    await page.getByRole("heading", { name: "API key nightly report created" }).waitFor();
    const token = ((await dialog.getByRole("region", { name: "token" }).textContent()) ?? "").trim();
    expect(token).toMatch(/^svk_/);
    await dialog.getByRole("button", { name: "Copy", exact: true }).first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await dialog.getByRole("alert").getByText("Save the token first. It can't be shown again.").waitFor();
    await dialog.getByLabel("I've saved the token").check({ force: true });
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(token);
    expect(await statusOf(token, `/projects/${brain.project.slug}/tasks`)).toBe(200);

    const row = page.getByRole("row", { name: /nightly report/ });
    for (const text of ["tasks:write", "projects:write", brain.project.slug, "127.0.0.0/8"]) {
      expect(await row.textContent()).toContain(text);
    }

    await act(page, "nightly report", "Change addresses");
    expect(await dialog.getByLabel("Allowed addresses").inputValue()).toBe("127.0.0.0/8");
    await dialog.getByLabel("Allowed addresses").fill("10.20.0.0/16\n2001:DB8::7");
    await dialog.getByText(/would be refused/).waitFor();
    await dialog.getByRole("button", { name: "Change addresses" }).click();
    await row.getByText("10.20.0.0/16 and 1 more").waitFor();
    expect(await statusOf(token, `/projects/${brain.project.slug}/tasks`)).toBe(403);

    await act(page, "nightly report", "Revoke");
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("No API keys yet").waitFor();
    expect(await statusOf(token, `/projects/${brain.project.slug}/tasks`)).toBe(401);
    expect(faults).toEqual([]);
  });

  test("without end, project and addresses says so", async () => {
    await brain.as.operator.post("/api-keys", { name: "free", scopes: ["home:read"] });
    const { page } = await openKeys(brain.as.operator);
    const row = page.getByRole("row", { name: /free/ });
    for (const text of ["all", "any address", "never", "no expiry"])
      await row.getByText(text, { exact: true }).first().waitFor();
  });
});

describe("scopes that only administrators mint", () => {
  test("are disabled for others, with the reason", async () => {
    const { page } = await openKeys(brain.as.viewer);
    await page.getByRole("button", { name: "Create key" }).click();
    await dialogOf(page)
      .getByText("Only instance administrators can grant unchecked scopes with a dashed border.")
      .waitFor();
    for (const scope of ["users:read", "projects:write", "admin:*"]) {
      const box = dialogOf(page).getByRole("checkbox", {
        name: `${scope}. Only instance administrators can grant this`,
        exact: true,
      });
      await expect.poll(() => box.getAttribute("aria-disabled")).toBe("true");
      await box.click({ force: true });
      expect(await box.isChecked()).toBe(false);
    }
  });

  test("are open to an administrator of the instance", async () => {
    const { page } = await openKeys(brain.as.root);
    await page.getByRole("button", { name: "Create key" }).click();
    await dialogOf(page).getByRole("checkbox", { name: "tasks:read", exact: true }).waitFor();
    expect(await dialogOf(page).getByText("dashed border").count()).toBe(0);
    await tick(page, "admin:*");
    const included = dialogOf(page).getByRole("checkbox", { name: /^audit:read[.] Included in/ });
    expect(await included.isChecked()).toBe(true);
  });
});

describe("addresses", () => {
  test("are shown beforehand as the server keeps them", async () => {
    const { body: key } = await brain.as.auditor.post("/api-keys", { name: "ranges", scopes: ["home:read"] });
    const given = [
      "10.1.2.3/9",
      "192.168.7.9",
      "0.0.0.0/0",
      "2001:0DB8:0:0:0:0:0:7/64",
      "fe80:1:0:0:2:0:0:3",
      "::ffff:10.20.30.40/104",
      "::/0",
      "1:2:3:4:5:6:7:8/127",
    ];
    const { page } = await openKeys(brain.as.auditor);
    await act(page, "ranges", "Change addresses");
    await dialogOf(page).getByLabel("Allowed addresses").fill(given.join("\n"));
    const said =
      (await dialogOf(page)
        .getByText(/^Saved as/)
        .textContent()) ?? "";
    await dialogOf(page).getByRole("button", { name: "Change addresses" }).click();
    await dialogOf(page).waitFor({ state: "detached" });
    const { body: keys } = await brain.as.auditor.get("/api-keys");
    const kept: string[] = keys.find(({ id }: { id: string }) => id === key.id).allowed_cidrs;
    expect(kept).toHaveLength(given.length);
    const rewritten = kept.filter((range) => !given.includes(range));
    expect(said.replace("Saved as ", "").split(", ")).toEqual(rewritten);
  });

  test("that are none are named by their line and not sent, and so are too many", async () => {
    await brain.as.admin.post("/api-keys", { name: "held", scopes: ["home:read"] });
    const { page } = await openKeys(brain.as.admin);
    await act(page, "held", "Change addresses");
    const dialog = dialogOf(page);
    const field = dialog.getByLabel("Allowed addresses");
    await field.fill("10.0.0.0/8\nmail.example.org");
    await dialog.getByText("Line 2 is not an IPv4 or IPv6 address or range.").waitFor();
    const save = dialog.getByRole("button", { name: "Change addresses" });
    await expect.poll(() => save.getAttribute("aria-disabled")).toBe("true");
    await dialog.getByRole("status").getByText("Fix the addresses first").waitFor();
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
    await field.fill(Array.from({ length: 33 }, (_, at) => `10.0.${at}.0/24`).join("\n"));
    await dialog.getByText("33 ranges. Maximum 32 per key.").waitFor();
    await save.click({ force: true });
    await field.fill("10.0.0.0/8");
    await save.click();
    await dialog.waitFor({ state: "detached" });
  });

  test("that the server refuses are still there, with its words at the field", async () => {
    const { page } = await openKeys(brain.as.admin);
    const errors = [{ loc: ["body", "allowed_cidrs", 0], message: "must be an IPv4 or IPv6 CIDR or address" }];
    const refusal = { error: "validation_error", message: "no", details: { errors }, request_id: "r" };
    await page.route("**/api-keys/*", (route) =>
      route.request().method() === "PATCH" ? route.fulfill({ status: 422, json: refusal }) : route.continue(),
    );
    await act(page, "held", "Change addresses");
    const field = dialogOf(page).getByLabel("Allowed addresses");
    await field.fill("10.9.0.0/16");
    await dialogOf(page).getByRole("button", { name: "Change addresses" }).click();
    await dialogOf(page).getByText("must be an IPv4 or IPv6 CIDR or address").waitFor();
    expect(await field.inputValue()).toBe("10.9.0.0/16");
    await waitFor(async () => field.evaluate((input) => input === document.activeElement));
  });
});
