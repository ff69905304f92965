import { totpCode } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { axeFaults, openScreen } from "../window/screen.ts";
import { confirm, openCodeSite, signIn } from "../window/second-factor.ts";

const site = openCodeSite();

const agents = () => `/p/${site.brain.project.slug}/agents`;

describe("setting a second factor up", () => {
  test("takes three steps: scan or type the key, confirm a code, keep the recovery codes", async () => {
    await site.brain.addMember("mira", "viewer");
    const { page, faults } = await openScreen(site.brain, { theme: "dark" });
    const qrFiles: string[] = [];
    page.on("request", (request) => {
      if (/EnrollPage/.test(request.url())) qrFiles.push(request.url());
    });
    await signIn(page, "mira@example.org");
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    await page.getByRole("button", { name: /user menu/ }).click();
    await page.getByRole("link", { name: "Security" }).click();
    expect(qrFiles).toEqual([]);
    await page.getByRole("link", { name: "Set up an app" }).click();

    const qr = page.getByRole("img", { name: "QR code for the authenticator app" });
    await qr.waitFor();
    expect(qrFiles.length).toBeGreaterThan(0);
    expect(await page.getByRole("listitem").and(page.locator("[aria-current=step]")).textContent()).toBe("Scan");
    const drawn = await qr.evaluate((svg) => {
      const [rect, path] = [svg.querySelector("rect"), svg.querySelector("path")] as [SVGElement, SVGPathElement];
      const { x, y, width, height } = path.getBBox();
      const side = (svg as SVGSVGElement).viewBox.baseVal.width;
      return {
        fills: [getComputedStyle(rect).fill, getComputedStyle(path).fill],
        x,
        y,
        right: side - x - width,
        bottom: side - y - height,
      };
    });
    expect(drawn).toEqual({ fills: ["rgb(255, 255, 255)", "rgb(0, 0, 0)"], x: 4, y: 4, right: 4, bottom: 4 });
    const shown = (await page.locator("main code").textContent()) ?? "";
    expect(shown).toMatch(/^([A-Z2-7]{4} )+[A-Z2-7]{1,4}$/);
    await page.getByRole("button", { name: "Copy the key" }).click();
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    expect(secret).toBe(shown.replaceAll(" ", ""));

    await page.getByRole("button", { name: "Next: enter a code" }).click();
    await confirm(page, "000000");
    await page.getByText("That code is incorrect or has expired.").waitFor();
    await page.getByRole("button", { name: "Back to the QR code" }).click();
    expect(await page.locator("main code").textContent()).toBe(shown);
    await page.getByRole("button", { name: "Next: enter a code" }).click();
    const field = page.getByLabel("Six-digit code");
    expect(await field.getAttribute("autocomplete")).toBe("one-time-code");
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    const code = totpCode(secret, new Date());
    await page.evaluate((text) => navigator.clipboard.writeText(text), `${code.slice(0, 3)} ${code.slice(3)}`);
    await page.keyboard.press("ControlOrMeta+v");
    await page.keyboard.press("Enter");

    const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();
    const all = await codes.allTextContents();
    expect(all).toHaveLength(10);
    const done = page.getByRole("button", { name: "Done" });
    await expect.poll(() => done.getAttribute("aria-disabled")).toBe("true");
    await done.click({ force: true });
    expect(await codes.count()).toBe(10);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(all.join("\n"));
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("svc-recovery-codes.txt");
    expect(await axeFaults(page)).toEqual([]);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("button:visible").count()).toBe(0);
    expect(await codes.first().isVisible()).toBe(true);
    await page.emulateMedia({ media: null });

    await page.getByLabel("I've saved these codes").check({ force: true });
    await done.click();
    await page.waitForURL("**/me/security");
    await page.getByText("Authenticator app set up on").waitFor();
    await page.getByText("10 recovery codes left.").waitFor();
    expect(faults).toEqual([]);
  });

  test("in addition to an active one needs a fresh code of that first", async () => {
    const { email, factor } = await site.carefulUser("twice");
    const { page } = await openScreen(site.brain);
    await signIn(page, email);
    await confirm(page, factor.recoveryCodes[0] ?? "");
    await page.getByText("9 recovery codes left").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.goto("/login/enroll?next=/me/security");
    await page.getByRole("heading", { name: "Replace your authenticator app" }).waitFor();
    await page.getByText("Your current app and recovery codes work until you confirm the new app.").waitFor();
    await page.getByRole("link", { name: "Not now" }).click();
    await page.getByText("Authenticator app set up on").waitFor();
  });
});

describe("what needs a fresh code", () => {
  /** Signs in with a trusted device, so without a code. */
  async function openSpared(name: string) {
    const { email, client, factor } = await site.carefulUser(name);
    const trusted = await client.post("/auth/mfa/trusted-devices", { label: "Spare" });
    const [device = ""] = (trusted.headers.getSetCookie()[0] ?? "").split(";");
    const screen = await openScreen(site.brain, { cookie: device });
    await signIn(screen.page, email, `/login?next=${agents()}`);
    await screen.page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    return { ...screen, factor };
  }

  test("is requested in a dialog over the page, and then the request is repeated", async () => {
    const { page, faults, factor } = await openSpared("minter");
    const sent: (string | null)[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/agents")) sent.push(request.postData());
    });
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("mailer-9");
    await page.keyboard.press("Enter");

    const asked = page.getByRole("dialog", { name: "Confirm it's you" });
    await asked.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await asked.getByLabel("Six-digit code").fill("000000");
    await page.keyboard.press("Enter");
    await asked.getByText("That code is incorrect or has expired.").waitFor();
    await asked.getByLabel("Six-digit code").fill(factor.code());
    await page.keyboard.press("Enter");

    await page.getByRole("dialog", { name: "Start mailer-9" }).waitFor();
    expect(sent).toEqual(['{"name":"mailer-9"}', '{"name":"mailer-9"}']);
    expect(faults).toEqual([]);
  });

  test("is not done when the dialog is dismissed, and the form says so and keeps its input", async () => {
    const { page } = await openSpared("unsure");
    await page.getByRole("button", { name: "Create agent" }).click();
    const name = page.getByRole("dialog").getByLabel("Name");
    await name.fill("mailer-10");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Confirm it's you" }).waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("dialog", { name: "Confirm it's you" }).waitFor({ state: "detached" });
    await page.getByText("You didn't confirm that it's you.").waitFor();
    expect(await name.inputValue()).toBe("mailer-10");
    // The next attempt asks for the code again.
    await page.getByRole("button", { name: "Create agent" }).last().click();
    await page.getByRole("dialog", { name: "Confirm it's you" }).waitFor();
  });
});
