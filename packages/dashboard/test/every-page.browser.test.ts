import type { TestBrain } from "@svc/testkit/brain";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFaults, launchBrowser, openScreen, startBrainWithSite } from "./screen.ts";
import { tellSample } from "./task-traffic.ts";

let brain: TestBrain;
let browser: Browser;
let agentId: string;
const slug = () => brain.project.slug;

beforeAll(async () => {
  [brain, browser] = await Promise.all([startBrainWithSite(), launchBrowser()]);
  await brain.as.root.post("/projects", { slug: "empty", name: "Empty" });
  const connected = await brain.connectAgent();
  agentId = connected.minted.agentId;
  await tellSample(brain, connected);
});
afterAll(async () => {
  await browser?.close();
  await brain?.stop();
});

interface Case {
  path: () => string;
  title: RegExp;
  ready: (page: Page) => Promise<unknown>;
  isAnonymous?: boolean;
}

const cases: Record<string, Case> = {
  "sign in": {
    path: () => "/login",
    title: /^Sign in/,
    ready: (page) => page.getByRole("heading", { name: "Sign in" }).waitFor(),
    isAnonymous: true,
  },
  home: { path: () => "/", title: /^Projects/, ready: (page) => page.getByRole("link", { name: "Shop" }).waitFor() },
  overview: {
    path: () => `/p/${slug()}`,
    title: /^Overview, shop/,
    ready: async (page) => {
      await page.getByRole("slider", { name: /^Throughput/ }).waitFor();
      await page.getByRole("link", { name: "PaymentError" }).waitFor();
    },
  },
  "overview of an empty project": {
    path: () => "/p/empty",
    title: /^Overview, empty/,
    ready: (page) => page.getByText("Connect the first agent").waitFor(),
  },
  "task list": {
    path: () => `/p/${slug()}/tasks`,
    title: /^Tasks, shop/,
    ready: (page) => page.getByRole("row", { name: "billing.charge failure" }).waitFor(),
  },
  "filtered to nothing": {
    path: () => `/p/${slug()}/tasks?name=nothing&state=retry`,
    title: /^Tasks/,
    ready: (page) => page.getByText("No task matches").waitFor(),
  },
  "task in the drawer": {
    path: () => `/p/${slug()}/tasks?task=scripted/bad-1`,
    title: /^Tasks/,
    ready: (page) => page.getByRole("dialog").getByText("PaymentError", { exact: true }).waitFor(),
  },
  "failed task": {
    path: () => `/p/${slug()}/tasks/scripted/bad-1`,
    title: /^failure, billing[.]charge/,
    ready: (page) => page.getByText("Attempt 2 failed").waitFor(),
  },
  "task with a family": {
    path: () => `/p/${slug()}/tasks/scripted/child-1`,
    title: /media[.]render_pdf/,
    ready: (page) => page.getByText("this task").waitFor(),
  },
  "unknown task": {
    path: () => `/p/${slug()}/tasks/scripted/nope`,
    title: /nope/,
    ready: (page) => page.getByText("This task is not here").waitFor(),
  },
  queues: {
    path: () => `/p/${slug()}/queues`,
    title: /^Queues/,
    ready: (page) => page.getByRole("heading", { level: 1, name: "Queues" }).waitFor(),
  },
  workers: {
    path: () => `/p/${slug()}/workers`,
    title: /^Workers/,
    ready: (page) => page.getByRole("heading", { level: 1, name: "Workers" }).waitFor(),
  },
  agents: {
    path: () => `/p/${slug()}/agents`,
    title: /^Agents/,
    ready: (page) => page.getByText("online").first().waitFor(),
  },
  agent: {
    path: () => `/p/${slug()}/agents/${agentId}`,
    title: /Agents/,
    ready: (page) => page.getByRole("heading", { name: "Processes" }).waitFor(),
  },
  appearance: {
    path: () => "/me/appearance",
    title: /^Appearance/,
    ready: (page) => page.getByRole("group", { name: "Theme", exact: true }).waitFor(),
  },
  "empty project": {
    path: () => "/p/empty/tasks",
    title: /^Tasks, empty/,
    ready: (page) => page.getByText("Connect the first agent").waitFor(),
  },
  "no such page": {
    path: () => "/nowhere",
    title: /^Not found/,
    ready: (page) => page.getByText("There is no page at this address").waitFor(),
  },
};

describe.each(["light", "dark"] as const)("in %s", (theme) => {
  describe.each(["desktop", "phone"] as const)("on a %s", (size) => {
    test.each(Object.entries(cases))("%s is whole, reachable and loads nothing from elsewhere", async (_name, one) => {
      const cookie = one.isAnonymous ? "" : brain.as.root.cookie;
      const { page, faults } = await openScreen(browser, brain, { cookie, theme, size });
      await page.goto(one.path());
      await one.ready(page);

      expect(await page.title()).toMatch(one.title);
      expect(await page.locator("h1").count()).toBe(1);
      expect(await page.locator("main").count()).toBe(1);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });
});
