import { isEverything, shareOf } from "@svc/testkit";
import type { ApiClient } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { PageCase } from "../site/page-case.ts";
import { otherFaults, pages } from "../site/pages.ts";
import { openSite } from "../site/site.ts";
import { everyPageOnce } from "../site/site-map.ts";
import { axeFaults, openScreen, type Screen } from "../window/screen.ts";

const roles = ["viewer", "auditor", "operator", "admin"] as const;
type Role = (typeof roles)[number];

const opened = openSite();
let callers: Record<Role, ApiClient>;

beforeAll(async () => {
  const { viewer, auditor, operator } = opened.brain.as;
  callers = { viewer, auditor, operator, admin: await opened.brain.addMember("project-admin", "admin") };
});

/** The actions that only project admins have on a page. */
const adminActions: Readonly<Record<string, string>> = {
  "overview of an empty project": "Create agent",
  "empty project": "Create agent",
  agents: "Create agent",
  "agents filtered to nothing": "Create agent",
  "no agents yet": "Create agent",
  agent: "Revoke",
  "project settings": "Archive project",
  "settings of an archived project": "Restore project",
  members: "Invite",
  schedules: "New schedule",
  "no schedules yet": "New schedule",
  schedule: "Edit",
  "new schedule": "Create schedule",
};

/** Every page once, and all pages with an action for administrators. Other states of a page need the same role. */
const onceEach = new Set([...everyPageOnce({}), ...Object.keys(adminActions)]);
const casesOfRoles = Object.entries(pages).filter(([name]) => isEverything || onceEach.has(name));

/**
 * Checks that are the same for every role run as a viewer, who has the least access, as an operator, who acts with limited access, and as
 * one of the two others in turn.
 */
const alikeForAll = casesOfRoles.filter(([name, { isFor }]) => isFor === undefined && adminActions[name] === undefined);
const inTurn: readonly Role[] = ["auditor", "admin"];
const isCheckedAs = (role: Role, one: [string, PageCase]) =>
  !inTurn.includes(role) || !alikeForAll.includes(one) || shareOf(alikeForAll, inTurn, role).includes(one);

async function openAs(role: Role, path: string): Promise<Screen & { refused: string[] }> {
  const screen = await openScreen(opened.brain, { cookie: callers[role].cookie });
  const refused: string[] = [];
  screen.page.on("response", (response) => {
    if ([401, 403].includes(response.status())) refused.push(new URL(response.url()).pathname);
  });
  await screen.page.goto(path);
  return { ...screen, refused };
}

const shownIn = (page: Page) => page.locator("main").textContent();

describe.each(roles)("as %s", (role) => {
  const mayUse = ({ isFor }: PageCase) =>
    isFor === undefined ||
    (isFor === "auditors and admins" && (role === "auditor" || role === "admin")) ||
    (isFor === "operators and admins" && (role === "operator" || role === "admin"));
  const signedIn = casesOfRoles.filter(
    (named) => !named[1].isAnonymous && !named[1].cookie && mayUse(named[1]) && isCheckedAs(role, named),
  );
  const forOthers = casesOfRoles.filter(([, one]) => !mayUse(one));

  test.each(signedIn)("%s is whole and asks for nothing that the role may not read", async (name, one) => {
    const { page, faults, refused } = await openAs(role, one.path(opened.site));
    await one.ready(page);
    expect(await page.title()).toMatch(one.title);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await shownIn(page)).not.toMatch(
      /undefined|NaN|\[object|Couldn't (load|refresh|show|check)|not available|Not for your role/,
    );

    const action = adminActions[name];
    if (action !== undefined) {
      const button = page.locator("main").getByRole("button", { name: action }).first();
      if (role === "admin") {
        await expect.poll(() => button.getAttribute("aria-disabled")).not.toBe("true");
      } else {
        await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
        await expect.poll(() => button.getAttribute("title")).toBe("Needs the admin role in this project");
        await button.click({ force: true });
        expect(await page.getByRole("dialog").count()).toBe(0);
      }
    }
    expect(refused).toEqual([]);
    expect(otherFaults(one, faults)).toEqual([]);
  });

  test.each(forOthers)("%s says that it is not for the role, and asks for nothing", async (_name, one) => {
    const { page, faults, refused } = await openAs(role, one.path(opened.site));
    await page.getByRole("heading", { name: "Not for your role" }).waitFor();
    expect(await page.title()).toMatch(one.title);
    expect(await page.locator("h1").count()).toBe(1);
    // All of them have the same short text.
    if (isEverything || role === "viewer") expect(await axeFaults(page)).toEqual([]);
    expect(refused).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("navigation leads only to what the role can use", async () => {
    const { page } = await openAs(role, `/p/${opened.site.slug}`);
    await page.getByRole("button", { name: /^Connection: live/ }).waitFor();
    const mayAudit = role === "auditor" || role === "admin";
    expect(await page.getByRole("link", { name: "Audit" }).count()).toBe(mayAudit ? 1 : 0);
    await page.getByRole("button", { name: /user menu/ }).click();
    await page.getByRole("link", { name: "Activity" }).waitFor();
    expect(await page.getByText("Instance", { exact: true }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("instance");
    expect(await page.getByRole("option", { name: /Settings|Versions|Health/ }).count()).toBe(0);
    await page.getByRole("combobox").fill("audit");
    expect(await page.getByRole("option", { name: /^Audit/ }).count()).toBe(mayAudit ? 1 : 0);
  });

  test("a button that makes projects is for administrators of the instance only", async () => {
    const { page } = await openAs(role, "/");
    await page.getByRole("link", { name: "Shop" }).waitFor();
    expect(await page.getByRole("button", { name: "Create project" }).count()).toBe(0);
  });

  test("selected tasks can be copied by all and deleted by an admin", async () => {
    const { page } = await openAs(role, `/p/${opened.site.slug}/tasks`);
    await page.getByRole("row", { name: "billing.charge failure" }).getByRole("checkbox").check({ force: true });
    const bar = page.getByRole("region", { name: "Selected tasks" });
    await bar.getByRole("button", { name: "Copy ids" }).waitFor();
    const remove = bar.getByRole("button", { name: "Delete" });
    await expect.poll(() => remove.getAttribute("aria-disabled")).toBe(String(role !== "admin"));
    await expect
      .poll(() => remove.getAttribute("title"))
      .toBe(role === "admin" ? null : "Needs the admin role in this project");
    await remove.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(role === "admin" ? 1 : 0);
  });

  test("filters are kept as a view by all who may change something of their own", async () => {
    const { page } = await openAs(role, `/p/${opened.site.slug}/tasks?queue=billing`);
    await page.getByRole("row", { name: "billing.charge failure" }).waitFor();
    const save = page.getByRole("button", { name: "Save view" });
    expect(await save.count()).toBe(role === "auditor" ? 0 : 1);
  });
});

test("a user without projects sees an explanation, and no projects of others", async () => {
  const { page } = await openScreen(opened.brain, { cookie: opened.brain.as.stranger.cookie });
  await page.goto("/");
  await page.locator("main h1").waitFor();
  expect(await page.getByRole("link", { name: "Shop" }).count()).toBe(0);
  for (const [name, one] of casesOfRoles) {
    const path = one.path(opened.site);
    if (!path.startsWith("/p/")) continue;
    await page.goto(path);
    await page
      .locator("main")
      .getByText(/Couldn't (show|open)/i)
      .first()
      .waitFor();
    expect(await shownIn(page), name).not.toMatch(/billing|PaymentError|mailer/);
  }
});
