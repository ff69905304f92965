import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import type { Page } from "playwright-core";
import { tellSample } from "./task-traffic.ts";

/** What the addresses of pages are made of. */
export interface Site {
  readonly slug: string;
  readonly agentId: string;
  readonly workerId: string;
}

export interface PageCase {
  readonly path: (site: Site) => string;
  readonly title: RegExp;
  /** Resolves once the page shows what it is for. */
  readonly ready: (page: Page) => Promise<unknown>;
  readonly isAnonymous?: boolean;
  /** Who may use it; others are told that it is not for their role. Without it everybody who is signed in. */
  readonly isFor?: "auditors and admins" | "instance admins";
  /** The refusal that a boundary catches on this page, and logs. */
  readonly logs?: string;
}

/** Every page, and the states of it that data alone make: full, empty, filtered to nothing, not there. */
export const pages: Readonly<Record<string, PageCase>> = {
  "sign in": {
    path: () => "/login",
    title: /^Sign in/,
    ready: (page) => page.getByRole("heading", { name: "Sign in" }).waitFor(),
    isAnonymous: true,
  },
  home: { path: () => "/", title: /^Projects/, ready: (page) => page.getByRole("link", { name: "Shop" }).waitFor() },
  overview: {
    path: ({ slug }) => `/p/${slug}`,
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
    path: ({ slug }) => `/p/${slug}/tasks`,
    title: /^Tasks, shop/,
    ready: (page) => page.getByRole("row", { name: "billing.charge failure" }).waitFor(),
  },
  "filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/tasks?name=nothing&state=retry`,
    title: /^Tasks/,
    ready: (page) => page.getByText("No task matches").waitFor(),
  },
  "task in the drawer": {
    path: ({ slug }) => `/p/${slug}/tasks?task=scripted/bad-1`,
    title: /^Tasks/,
    ready: (page) => page.getByRole("dialog").getByText("PaymentError", { exact: true }).waitFor(),
  },
  "failed task": {
    path: ({ slug }) => `/p/${slug}/tasks/scripted/bad-1`,
    title: /^failure, billing[.]charge/,
    ready: (page) => page.getByText("Attempt 2 failed").waitFor(),
  },
  "task with a family": {
    path: ({ slug }) => `/p/${slug}/tasks/scripted/child-1`,
    title: /media[.]render_pdf/,
    ready: (page) => page.getByText("this task").waitFor(),
  },
  "unknown task": {
    path: ({ slug }) => `/p/${slug}/tasks/scripted/nope`,
    title: /nope/,
    ready: (page) => page.getByText("This task is not here").waitFor(),
  },
  queues: {
    path: ({ slug }) => `/p/${slug}/queues`,
    title: /^Queues/,
    ready: (page) => page.getByRole("link", { name: "billing", exact: true }).waitFor(),
  },
  "queues filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/queues?filter=nothing`,
    title: /^Queues/,
    ready: (page) => page.getByText("No queue matches").waitFor(),
  },
  "no queues yet": {
    path: () => "/p/empty/queues",
    title: /^Queues, empty/,
    ready: (page) => page.getByText("No queue seen yet").waitFor(),
  },
  queue: {
    path: ({ slug }) => `/p/${slug}/queues/scripted/billing`,
    title: /^billing, Queues/,
    ready: (page) => page.getByText("PaymentError: upstream 503").waitFor(),
  },
  "unknown queue": {
    path: ({ slug }) => `/p/${slug}/queues/scripted/nope`,
    title: /^Not shown/,
    ready: (page) => page.getByText("It is not here").waitFor(),
    logs: "console: ApiProblem: not found",
  },
  workers: {
    path: ({ slug }) => `/p/${slug}/workers`,
    title: /^Workers/,
    ready: (page) => page.getByRole("link", { name: "billing-1", exact: true }).waitFor(),
  },
  "workers filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/workers?filter=nothing`,
    title: /^Workers/,
    ready: (page) => page.getByText("No worker matches").waitFor(),
  },
  "no workers yet": {
    path: () => "/p/empty/workers",
    title: /^Workers, empty/,
    ready: (page) => page.getByText("No worker seen yet").waitFor(),
  },
  worker: {
    path: ({ slug, workerId }) => `/p/${slug}/workers/${workerId}`,
    title: /^billing-1, Workers/,
    ready: (page) => page.getByRole("link", { name: "billing.run_invoices" }).waitFor(),
  },
  agents: {
    path: ({ slug }) => `/p/${slug}/agents`,
    title: /^Agents/,
    ready: (page) => page.getByText("online").first().waitFor(),
  },
  "agents filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/agents?filter=nothing`,
    title: /^Agents/,
    ready: (page) => page.getByText("No agent matches").waitFor(),
  },
  "no agents yet": {
    path: () => "/p/empty/agents",
    title: /^Agents, empty/,
    ready: (page) => page.getByText("No agent yet").waitFor(),
  },
  agent: {
    path: ({ slug, agentId }) => `/p/${slug}/agents/${agentId}`,
    title: /Agents/,
    ready: (page) => page.getByRole("heading", { name: "Processes" }).waitFor(),
  },
  appearance: {
    path: () => "/me/appearance",
    title: /^Appearance/,
    ready: (page) => page.getByRole("group", { name: "Theme", exact: true }).waitFor(),
  },
  "audit trail": {
    path: ({ slug }) => `/p/${slug}/audit`,
    title: /^Audit, shop/,
    ready: async (page) => {
      await page.getByRole("button", { name: "agent.token.minted" }).first().waitFor();
      await page.getByText("authenticated", { exact: true }).waitFor();
    },
    isFor: "auditors and admins",
  },
  "audit filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/audit?action=nothing&outcome=deny`,
    title: /^Audit, shop/,
    ready: (page) => page.getByText("No row matches").waitFor(),
    isFor: "auditors and admins",
  },
  activity: {
    path: () => "/activity",
    title: /^Activity/,
    ready: (page) => page.getByRole("button", { name: "auth.login" }).first().waitFor(),
  },
  "activity filtered to nothing": {
    path: () => "/activity?action=nothing",
    title: /^Activity/,
    ready: (page) => page.getByText("No row matches").waitFor(),
  },
  "instance settings": {
    path: () => "/admin/settings",
    title: /^Settings/,
    ready: (page) => page.getByText("SVC_ADMIN_PROJECT_LIST_CAP").waitFor(),
    isFor: "instance admins",
  },
  "settings filtered to nothing": {
    path: () => "/admin/settings?filter=nothing-such",
    title: /^Settings/,
    ready: (page) => page.getByText("No setting matches").waitFor(),
    isFor: "instance admins",
  },
  versions: {
    path: () => "/admin/versions",
    title: /^Versions/,
    ready: (page) => page.getByText("Checking for newer versions is switched off").waitFor(),
    isFor: "instance admins",
  },
  health: {
    path: () => "/admin/health",
    title: /^Health/,
    ready: async (page) => {
      await page.getByText("Every subsystem answers").waitFor();
      await page.getByText("Database", { exact: true }).waitFor();
    },
    isFor: "instance admins",
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

/** The faults of a page beside those that its case names. */
export const faultsBeside = ({ logs }: PageCase, faults: readonly string[]): string[] =>
  faults.filter((fault) => logs === undefined || !fault.startsWith(logs));

/** A project with the sample of tasks and an online agent, and beside it an empty one. */
export async function fillSite(brain: TestBrain): Promise<Site> {
  await brain.addProject("empty", "Empty");
  const connected = await brain.connectAgent();
  await tellSample(brain, connected);
  const worker = await waitFor(async () => {
    const { body } = await brain.as.root.get(`/projects/${brain.project.slug}/workers`);
    return body.items.find(({ name }: { name: string }) => name === "billing-1");
  });
  return { slug: brain.project.slug, agentId: connected.minted.agentId, workerId: worker.id };
}
