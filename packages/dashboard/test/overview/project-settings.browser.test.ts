import type { ApiClient, TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { holdReads } from "../window/delayed-reads.ts";
import { axeFaults, openScreen, startBrainWithSite } from "../window/screen.ts";

let brain: TestBrain;
/** An administrator of every project, but not of the instance. */
let projectAdmin: ApiClient;
beforeAll(async () => {
  brain = await startBrainWithSite();
  const { body: projects } = await brain.as.root.get("/projects");
  for (const { slug } of projects) {
    if (slug !== brain.project.slug) await brain.as.root.delete(`/projects/${slug}`);
  }
  projectAdmin = await brain.addMember("project-admin", "admin");
});
afterAll(() => brain?.stop());

const openSettings = async (slug: string, caller: ApiClient = brain.as.root) => {
  const screen = await openScreen(brain, { cookie: caller.cookie });
  await screen.page.goto(`/p/${slug}/settings`);
  await screen.page.waitForURL(`**/p/${slug}/settings/general`);
  await screen.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  return screen;
};
const dialogOf = (page: Page) => page.getByRole("dialog");

describe("the last active project", () => {
  test("can't be archived: instance administrators see it in advance, others from the server", async () => {
    const { page } = await openSettings(brain.project.slug);
    await page.getByText("This is the last active project. Create another one first.").waitFor();
    const archive = page.getByRole("button", { name: "Archive project" });
    await expect.poll(() => archive.getAttribute("title")).toBe("The last active project can't be archived");
    await archive.click({ force: true });
    expect(await dialogOf(page).count()).toBe(0);
    await page.context().close();

    const other = await openSettings(brain.project.slug, projectAdmin);
    await other.page.getByRole("button", { name: "Archive project" }).click();
    await dialogOf(other.page).getByLabel(`Type ${brain.project.slug} to confirm`).fill(brain.project.slug);
    await dialogOf(other.page).getByRole("button", { name: "Archive project" }).click();
    await dialogOf(other.page).getByText("The last active project can't be archived").waitFor();
  });
});

describe("the settings of a project", () => {
  test("are saved, and with another slug the page moves to its new path", async () => {
    await brain.addProject("mill", "Mill");
    const { page, faults } = await openSettings("mill");
    const save = page.getByRole("button", { name: "Save changes" });
    await expect.poll(() => save.getAttribute("title")).toBe("No changes to save");
    await page.getByLabel("Name").fill("Wind mill");
    await page.getByLabel("Description").fill("Grinds\nat night");
    await page.getByLabel("Time zone").fill("Europe/Prague");
    await save.click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("button", { name: /^Wind mill/ }).waitFor();
    const { body } = await brain.as.root.get("/projects/mill");
    expect(body).toMatchObject({ name: "Wind mill", description: "Grinds\nat night", timezone: "Europe/Prague" });

    await page.getByLabel("Slug").fill("wind-mill");
    await page.getByText(/Links, bookmarks and scripts with \/mill stop working/).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const release = await holdReads(page, "**/auth/me");
    const moving = page.waitForRequest("**/auth/me");
    await save.click();
    await moving;
    expect(await page.getByLabel("Slug").inputValue()).toBe("wind-mill");
    await release();
    await page.waitForURL("**/p/wind-mill/settings/general");
    await page.getByRole("button", { name: /^Wind mill/ }).waitFor();
    expect(await page.getByLabel("Slug").inputValue()).toBe("wind-mill");
    expect((await brain.as.root.get("/projects/mill")).status).toBe(404);
    expect(faults).toEqual([]);
  });

  test("that do not fit together are refused where they stand, and stay as they were typed", async () => {
    await brain.addProject("clash", "Clash");
    const { page } = await openSettings("clash");
    const save = page.getByRole("button", { name: "Save changes" });
    await page.getByLabel("Slug").fill(brain.project.slug);
    await save.click();
    await page.getByText("Another project has this slug.").waitFor();
    await page.getByLabel("Slug").fill("clash");
    // Settings of schedulers are not offered before there are schedules.
    expect(await page.getByText(/scheduler/i).count()).toBe(0);
    await page.getByLabel("Time zone").fill("Nowhere/Land");
    await save.click();
    const zone = page.getByLabel("Time zone");
    await expect.poll(() => zone.getAttribute("aria-invalid")).toBe("true");
    expect(await zone.inputValue()).toBe("Nowhere/Land");
  });

  test("changed by someone else in the meantime are kept when others are saved", async () => {
    await brain.addProject("shared", "Shared");
    const { page } = await openSettings("shared");
    await page.getByLabel("Name").fill("Shared by two");
    await brain.as.root.patch("/projects/shared", { environment: "staging" });
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved.").waitFor();
    const { body } = await brain.as.root.get("/projects/shared");
    expect(body).toMatchObject({ name: "Shared by two", environment: "staging" });
    await expect.poll(() => page.getByLabel("Environment").inputValue()).toBe("staging");
  });

  test("are read by a viewer and changed by admins only", async () => {
    const { page } = await openSettings(brain.project.slug, brain.as.viewer);
    expect(await page.getByLabel("Name").getAttribute("readonly")).not.toBeNull();
    for (const name of ["Save changes", "Archive project"]) {
      await expect
        .poll(() => page.getByRole("button", { name }).getAttribute("title"))
        .toBe("Needs the admin role in this project");
    }
  });

  test("are at the end of the rail, at g e, and in the palette", async () => {
    const { page } = await openScreen(brain, { cookie: brain.as.viewer.cookie });
    await page.goto(`/p/${brain.project.slug}/agents`);
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Settings" }).click();
    await page.waitForURL("**/settings/general");
    const link = page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Settings" });
    await expect.poll(() => link.getAttribute("aria-current")).toBe("page");
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Members" }).click();
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    await page.waitForURL("**/settings/general");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find or go to" }).fill("invitations");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/settings/members");
  });
});

describe("a project", () => {
  test("is archived once its slug was typed, says so, is found again and restored", async () => {
    await brain.addProject("autumn", "Autumn");
    const { page, faults } = await openSettings("autumn");
    await page.getByRole("button", { name: "Archive project" }).click();
    const archive = dialogOf(page).getByRole("button", { name: "Archive project" });
    await dialogOf(page).getByLabel("Type autumn to confirm").fill("autum");
    await expect.poll(() => archive.getAttribute("title")).toBe("Type the slug first");
    await dialogOf(page).getByLabel("Type autumn to confirm").fill("autumn");
    expect(await axeFaults(page)).toEqual([]);
    await archive.click();
    await page.getByRole("heading", { name: "Archived", exact: true }).waitFor();
    await page.getByText("This project is archived: it is read-only").waitFor();
    expect(await page.getByLabel("Name").getAttribute("readonly")).not.toBeNull();

    await page.goto("/p/autumn/settings/members");
    const invite = page.getByRole("button", { name: "Invite" });
    await expect.poll(() => invite.getAttribute("title")).toBe("The project is archived; restore it first");
    await page.goto("/p/autumn/agents");
    const create = page.getByRole("main").getByRole("button", { name: "Create agent" });
    await expect.poll(() => create.getAttribute("title")).toBe("The project is archived; restore it first");
    await page.goto("/p/autumn/tasks");
    await page.getByRole("region", { name: "Notice" }).getByRole("link", { name: "settings" }).waitFor();

    await page.goto("/");
    await page.getByRole("link", { name: "Shop" }).first().waitFor();
    expect(await page.getByRole("link", { name: "Autumn" }).count()).toBe(0);
    await page.getByRole("button", { name: "Show archived" }).click();
    await page
      .getByRole("region", { name: "Archived projects", exact: true })
      .getByRole("link", { name: "Autumn" })
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.goto(`/p/${brain.project.slug}/settings/general`);
    await page.getByRole("button", { name: /Switch project$/ }).click();
    const switcher = page.getByRole("group", { name: "Switch project" });
    expect(await switcher.getByRole("link", { name: /Autumn/ }).count()).toBe(0);
    await switcher.getByRole("button", { name: "Show archived" }).click();
    await switcher.getByRole("link", { name: /Autumn.*archived/ }).click();
    await page.waitForURL("**/p/autumn/settings/general");
    await page.getByRole("button", { name: "Restore project" }).click();
    await page.getByRole("heading", { name: "Archive", exact: true }).waitFor();
    expect((await brain.as.root.get("/projects/autumn")).body.is_active).toBe(true);
    expect(faults).toEqual([]);
  });

  test("is made from the project switcher and from the palette, by administrators of the instance only", async () => {
    const { page, faults } = await openSettings(brain.project.slug);
    await page.getByRole("button", { name: /Switch project$/ }).click();
    await page.getByRole("button", { name: "Create project" }).click();
    await dialogOf(page).getByLabel("Name").fill("From the switcher");
    await dialogOf(page).getByRole("button", { name: "Create project" }).click();
    await page.waitForURL("**/p/from-the-switcher");
    await page.getByText("Connect the first agent").waitFor();
    expect(await dialogOf(page).count()).toBe(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find or go to" }).fill("create project");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Create project" }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();

    const other = await openSettings(brain.project.slug, projectAdmin);
    await other.page.getByRole("button", { name: /Switch project$/ }).click();
    await other.page.getByRole("link", { name: "All projects" }).waitFor();
    expect(await other.page.getByRole("button", { name: "Create project" }).count()).toBe(0);
  });
});
