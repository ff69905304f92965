import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { openShop } from "../site/shop.ts";
import { axeFaults, openScreen, textOf } from "../window/screen.ts";

const shop = openShop();
const minted = 130;
let auditorId = "";

beforeAll(async () => {
  const { features } = shop.brain.running.brain;
  auditorId = (await features.users.findByEmail("auditor@example.org"))?.id ?? "";
  const project_id = shop.brain.project.id;
  await features.audit.record([
    ...Array.from({ length: minted }, (_, at) => ({
      action: at % 2 === 0 ? "probe.even" : "probe.odd",
      target_type: "probe",
      target_id: `target-${at}`,
      project_id,
      user_id: at % 10 === 0 ? auditorId : null,
      result: at % 5 === 0 ? "failed" : "success",
      metadata: { at },
    })),
    {
      action: "project.updated",
      target_type: "project",
      target_id: project_id,
      project_id,
      source_ip: "10.1.2.3",
      user_agent: "probe/1",
      metadata: { before: { name: "Shop", zone: "UTC" }, after: { name: "Store", zone: "UTC" }, reason: "requested" },
    },
    {
      action: "membership.updated",
      target_type: "membership",
      project_id,
      metadata: { role: "admin", previous_role: "viewer" },
    },
  ]);
});

const open = async (query = "", as: "root" | "auditor" = "auditor") => {
  const screen = await openScreen(shop.brain, { cookie: shop.brain.as[as].cookie });
  await screen.page.goto(`/p/${shop.brain.project.slug}/audit${query}`);
  await screen.page.getByRole("button", { name: "Details" }).waitFor();
  return screen;
};
const actionsShown = (page: Page) => page.locator("main tbody button[aria-haspopup=dialog]").allTextContents();
const drawer = (page: Page) => page.getByRole("dialog");

describe("the audit trail", () => {
  test("loads page by page, newest first", async () => {
    const { page, faults } = await open("?action=probe.");
    await page.getByText("The newest 100 entries").waitFor();
    await page.getByRole("button", { name: "Load older entries" }).click();
    await page.getByText(`${minted} entries. End of list.`).waitFor();
    expect(faults).toEqual([]);
  });

  test("is filtered by class, action, outcome and user, each in the URL", async () => {
    const { page, faults } = await open();
    await page.getByRole("button", { name: "probe.odd" }).first().waitFor();
    const tree = page.getByRole("navigation", { name: "Actions" });
    // Classes without entries are not offered.
    const classes = await tree.getByRole("link").allTextContents();
    expect(classes).toContain("Members");
    expect(classes.join()).not.toMatch(/schedul|automation|notification|subscription/i);
    await tree.getByRole("link", { name: "probe" }).click();
    await page.waitForURL(/action=probe[.]$/);
    await tree.getByRole("link", { name: "even" }).click();
    await page.getByText("65 entries. End of list.").waitFor();

    await page.getByLabel("Outcome").selectOption("failure");
    await page.getByText("13 entries. End of list.").waitFor();
    await page.getByRole("combobox", { name: /^User/ }).selectOption("you");
    await page.waitForURL(new RegExp(`action=probe.even&outcome=failure&user=${auditorId}`));
    await page.getByText("13 entries. End of list.").waitFor();
    expect(new Set(await page.locator("main tbody td:nth-child(2)").allTextContents())).toEqual(new Set(["you"]));

    await page.goBack();
    await page.goBack();
    await page.getByText("65 entries. End of list.").waitFor();
    await page.getByLabel("Action starts with").fill("probe.o");
    await page.waitForURL(/action=probe[.]o$/);
    await expect.poll(async () => [...new Set(await actionsShown(page))]).toEqual(["probe.odd"]);
    expect(faults).toEqual([]);
  });

  test("follows the time range, and offers to clear an empty one", async () => {
    const { page } = await open("?since=2020-01-01&until=2020-02-01");
    await page.getByText("No entries match").waitFor();
    await page.getByRole("button", { name: "Clear all filters" }).click();
    await page.getByRole("button", { name: "membership.updated" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("opens an entry next to the list with its changes, and moves on by keys", async () => {
    const { page, faults } = await open();
    await page.getByRole("button", { name: "project.updated" }).click();
    const row = drawer(page).getByRole("row", { name: /name/ });
    expect(await row.getByRole("cell").allTextContents()).toEqual(["Shop", "Store"]);
    await drawer(page).getByText("1 unchanged").waitFor();
    await drawer(page).getByText('"requested"').waitFor();
    await drawer(page).getByText("probe/1").waitFor();
    await drawer(page)
      .getByText(/\d\d:\d\d:\d\d[.]\d{6}/)
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.keyboard.press("k");
    const next = drawer(page).getByRole("row", { name: /role/ });
    expect(await next.getByRole("cell").allTextContents()).toEqual(["viewer", "admin"]);
    await page.keyboard.press("Escape");
    await drawer(page).waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("membership.updated");

    await page.keyboard.press("Enter");
    await drawer(page).getByRole("button", { name: "Only this action" }).click();
    await page.waitForURL(/action=membership[.]updated/);
    expect(await drawer(page).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("shows addresses to instance admins, and others that they are hidden", async () => {
    for (const [as, text] of [
      ["root", "10.1.2.3"],
      ["auditor", "hidden for your role"],
    ] as const) {
      const { page } = await open("?action=project.updated", as);
      await page.getByRole("button", { name: "project.updated" }).waitFor();
      expect(await page.locator("main tbody td:last-child").allTextContents()).toEqual([text]);
      await page.context().close();
    }
  });

  test("shows microseconds on request", async () => {
    const { page } = await open();
    const time = page.locator("main tbody time").first();
    expect(await time.textContent()).toMatch(/^[\d-]{10} \d\d:\d\d:\d\d$/);
    await expect.poll(() => time.getAttribute("title")).toMatch(/[.]\d{6} UTC/);
    await page.getByRole("button", { name: "Exact times" }).click();
    expect(await time.textContent()).toMatch(/^[\d-]{10} \d\d:\d\d:\d\d[.]\d{6}$/);
  });

  test("keeps space for the action at every width, with a long list", async () => {
    const { page } = await open();
    const action = page.locator("main tbody td:has(button[aria-haspopup=dialog])").first();
    for (const width of [1280, 800, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(async () => (await action.boundingBox())?.width).toBeGreaterThan(150);
    }
  });

  // Content below the list must not shift when its last rows are drawn.
  test("has its final height before its last rows are drawn", async () => {
    const { page } = await open("?action=probe.");
    await page.getByText("The newest 100 entries").waitFor();
    const heightPx = () => page.locator("#main").evaluate((main) => main.scrollHeight);
    const beforePx = await heightPx();
    expect(await page.locator('[aria-rowindex="101"]').count()).toBe(0);
    await page.getByRole("button", { name: "Load older entries" }).scrollIntoViewIfNeeded();
    await page.locator('[aria-rowindex="101"]').waitFor();
    expect(Math.abs((await heightPx()) - beforePx)).toBeLessThan(8);
  });

  test("announces new entries, and shows them on request", async () => {
    const { page, faults } = await open("?action=project.");
    await page.getByRole("button", { name: "project.updated" }).waitFor();
    const before = await actionsShown(page);
    await shop.brain.as.root.patch(`/projects/${shop.brain.project.slug}`, { description: `since ${Date.now()}` });
    const show = page.getByRole("button", { name: "1 new" });
    await show.waitFor();
    expect(await actionsShown(page)).toEqual(before);
    await page.keyboard.press("n");
    await expect.poll(async () => (await actionsShown(page)).length).toBe(before.length + 1);
    await show.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });
});

describe("the chain's state", () => {
  const line = (page: Page, name: string) =>
    page.locator("main dl > div", { has: page.getByText(name, { exact: true }) });

  test("is one line, with the checks and commands under Details", async () => {
    const { page } = await open();
    await page.getByText("Head of the chain valid, rows not verified").waitFor();
    expect(await page.locator("main").textContent()).not.toMatch(/SVC_|svc audit/);
    await page.getByRole("button", { name: "Details" }).click();
    expect(await line(page, "Head").textContent()).toMatch(/valid.*rows themselves are not read/);
    expect(await line(page, "Rows").textContent()).toMatch(
      /not verified.*SVC_AUDIT_CHAIN_VERIFY_ENABLED.*svc audit verify/,
    );
    expect(await line(page, "Anchor").textContent()).toMatch(/not checked here.*svc audit verify-anchor FILE/);
    await page.getByRole("button", { name: "Copy svc audit verify", exact: true }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("svc audit verify");
  });

  test("shows the last scheduled verification, the first bad row, and an invalid state", async () => {
    const { page } = await openScreen(shop.brain, { cookie: shop.brain.as.auditor.cookie });
    const bad = "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d";
    const check = (verification: object, more = {}) => ({
      status: 503,
      json: {
        status: "failed",
        coverage: { startup_equivalent: false, detail: "" },
        checks: { audit_chain: { status: "ok", activated: true, scope: "state-only", verification, ...more } },
      },
    });
    const last = { finished_at: new Date(Date.now() - 60_000).toISOString(), rows: 1204 };
    let answer = check({ enabled: true, last: { ...last, outcome: "clean" } });
    await page.route("**/health/deep", (route) => route.fulfill(answer));
    const shown = async (name: string) => {
      await page.goto(`/p/${shop.brain.project.slug}/audit`);
      await page.getByRole("button", { name: "Details" }).click();
      await line(page, name).waitFor();
      return line(page, name).textContent();
    };
    expect(await shown("Rows")).toMatch(/verified.*1,204 valid rows.*1 min/);
    answer = check({ enabled: true, last: { ...last, outcome: "failed", row_id: bad } });
    expect(await shown("Rows")).toMatch(new RegExp(`failed verification.*first bad row: ${bad}`));
    answer = check({ enabled: true, last: { finished_at: last.finished_at, outcome: "error" } });
    expect(await shown("Rows")).toMatch(/couldn't be verified/);
    answer = check({ enabled: true }, { status: "failed", detail: "ChainIntegrityError" });
    expect(await shown("Head")).toMatch(/invalid: ChainIntegrityError/);
    expect(await shown("Rows")).toMatch(/not verified/);
  });
});

describe("an export of audit rows", () => {
  test("is a file of the matching entries, with the maximum shown", async () => {
    const { page, faults } = await open("?action=probe.even&outcome=failure");
    await page.getByText("13 entries. End of list.").waitFor();
    await page.getByRole("button", { name: "Export audit entries" }).click();
    await drawer(page).getByText("Maximum 50,000 entries").waitFor();
    await drawer(page).getByRole("radio", { name: "Excel" }).check();
    await drawer(page).getByText("Maximum 25,000 entries").waitFor();
    await drawer(page).getByRole("radio", { name: "JSON" }).check();
    expect(await axeFaults(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      drawer(page).getByRole("button", { name: "Export audit entries" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`svc-audit-${shop.brain.project.slug}.json`);
    const rows = JSON.parse(await textOf(file)) as { action: string }[];
    expect([rows.length, ...new Set(rows.map(({ action }) => action))]).toEqual([13, "probe.even"]);
    await drawer(page)
      .getByText(/^Saved /)
      .waitFor();
    expect(faults).toEqual([]);
  });

  test("of too many entries is refused, and says what to do", async () => {
    const { page } = await open();
    const details = { cap: 50_000, format: "csv", errors: [] };
    await page.route("**/audit?*format=*", (route) =>
      route.fulfill({ status: 422, json: { error: "validation_error", message: "no", details, request_id: "r" } }),
    );
    await page.getByRole("button", { name: "Export audit entries" }).click();
    await drawer(page).getByRole("button", { name: "Export audit entries" }).click();
    await drawer(page).getByText("More than 50,000 entries match").waitFor();
  });
});
