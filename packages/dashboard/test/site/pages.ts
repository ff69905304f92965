import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createScriptedAdapter } from "@svc/testkit/peer";
import { bulkRetryPages, fillBulkRetries } from "../traffic/bulk-retry-pages.ts";
import { issuePages } from "../traffic/issue-pages.ts";
import { fillSchedules, schedulePages } from "../traffic/schedule-pages.ts";
import { reportSample } from "../traffic/task-traffic.ts";
import type { PageCase, Site } from "./page-case.ts";
import { failCommand, fillAccounts, fingerprintOf } from "./site-facts.ts";

/** Every page, and its states that depend on data alone: full, empty, nothing matches, not found. */
export const pages: Readonly<Record<string, PageCase>> = {
  "sign in": {
    path: () => "/login",
    title: /^Sign in/,
    ready: (page) => page.getByRole("heading", { name: "Sign in" }).waitFor(),
    isAnonymous: true,
  },
  "second step of a sign-in": {
    path: () => "/login/mfa",
    title: /^Confirm it's you/,
    ready: (page) => page.getByLabel("Six-digit code").waitFor(),
    isBare: true,
    cookie: ({ pendingCookie }) => pendingCookie,
  },
  enrollment: {
    path: () => "/login/enroll",
    title: /^Set up a second factor/,
    ready: (page) => page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor(),
    isBare: true,
  },
  "forgotten password": {
    path: () => "/reset",
    title: /^Reset your password/,
    ready: (page) => page.getByLabel("Email").waitFor(),
    isAnonymous: true,
  },
  "new password": {
    path: () => "/reset/confirm#token=of-no-one-at-all",
    title: /^Choose a new password/,
    ready: (page) => page.getByLabel("New password", { exact: true }).waitFor(),
    isAnonymous: true,
  },
  "new password without its link": {
    path: () => "/reset/confirm",
    title: /^Open the link again/,
    ready: (page) => page.getByRole("link", { name: "Request a link" }).waitFor(),
    isAnonymous: true,
  },
  invitation: {
    path: ({ invitation }) => `/invite#token=${invitation}`,
    title: /^Join Shop/,
    ready: (page) => page.getByLabel("Your name").waitFor(),
    isAnonymous: true,
  },
  "invitation that does not count": {
    path: () => "/invite#token=of-none",
    title: /^This invitation is no longer valid/,
    ready: (page) => page.getByText("Ask for a new invitation.").waitFor(),
    isAnonymous: true,
  },
  home: { path: () => "/", title: /^Projects/, ready: (page) => page.getByRole("link", { name: "Shop" }).waitFor() },
  overview: {
    path: ({ slug }) => `/p/${slug}`,
    title: /^Overview, shop/,
    ready: async (page) => {
      await page.getByRole("slider", { name: /^Tasks by outcome/ }).waitFor();
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
    ready: (page) => page.getByText("No tasks match").waitFor(),
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
    ready: (page) => page.getByText("this task", { exact: true }).waitFor(),
  },
  "task that waits": {
    path: ({ slug }) => `/p/${slug}/tasks/scripted/wait-1`,
    title: /^pending, search[.]reindex/,
    ready: (page) => page.getByText(/No blocking cause was found/).waitFor(),
  },
  "unknown task": {
    path: ({ slug }) => `/p/${slug}/tasks/scripted/nope`,
    title: /nope/,
    ready: (page) => page.getByText("Task not in this project").waitFor(),
  },
  ...issuePages,
  ...schedulePages,
  queues: {
    path: ({ slug }) => `/p/${slug}/queues`,
    title: /^Queues/,
    ready: (page) => page.getByRole("link", { name: "billing", exact: true }).waitFor(),
  },
  "queues filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/queues?filter=nothing`,
    title: /^Queues/,
    ready: (page) => page.getByText("No queues match").waitFor(),
  },
  "no queues yet": {
    path: () => "/p/empty/queues",
    title: /^Queues, empty/,
    ready: (page) => page.getByText("No queues yet").waitFor(),
  },
  queue: {
    path: ({ slug }) => `/p/${slug}/queues/scripted/billing`,
    title: /^billing, Queues/,
    ready: (page) => page.getByText("PaymentError: upstream 503").waitFor(),
  },
  "unknown queue": {
    path: ({ slug }) => `/p/${slug}/queues/scripted/nope`,
    title: /^Error/,
    ready: (page) => page.getByText("Not found.").waitFor(),
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
    ready: (page) => page.getByText("No workers match").waitFor(),
  },
  "no workers yet": {
    path: () => "/p/empty/workers",
    title: /^Workers, empty/,
    ready: (page) => page.getByText("No workers yet").waitFor(),
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
    ready: (page) => page.getByText("No matching agents").waitFor(),
  },
  "no agents yet": {
    path: () => "/p/empty/agents",
    title: /^Agents, empty/,
    ready: (page) => page.getByText("No agents yet").waitFor(),
  },
  agent: {
    path: ({ slug, agentId }) => `/p/${slug}/agents/${agentId}`,
    title: /Agents/,
    ready: (page) => page.getByRole("heading", { name: "Processes" }).waitFor(),
  },
  "dead letters": {
    path: ({ slug }) => `/p/${slug}/dead-letters`,
    title: /^Dead letters, shop/,
    ready: async (page) => {
      await page.getByText("Load dead letters from the agent").waitFor();
      await page.getByRole("option", { name: "scripted" }).waitFor({ state: "attached" });
    },
  },
  commands: {
    path: ({ slug }) => `/p/${slug}/commands`,
    title: /^Commands, shop/,
    ready: (page) => page.getByRole("link", { name: "Cancel task" }).waitFor(),
  },
  "commands filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/commands?status=cancelled&action=purge_queue`,
    title: /^Commands, shop/,
    ready: (page) => page.getByText("No matching commands").waitFor(),
  },
  "no commands yet": {
    path: () => "/p/empty/commands",
    title: /^Commands, empty/,
    ready: (page) => page.getByText("No commands yet").waitFor(),
  },
  command: {
    path: ({ slug, commandId }) => `/p/${slug}/commands/${commandId}`,
    title: /^Cancel task, Commands/,
    ready: (page) => page.getByText(/^Failed: /).waitFor(),
  },
  ...bulkRetryPages,
  profile: {
    path: () => "/me/profile",
    title: /^Profile/,
    ready: (page) => page.getByLabel("First name").waitFor(),
  },
  security: {
    path: () => "/me/security",
    title: /^Security/,
    ready: async (page) => {
      await page.getByText("current", { exact: true }).first().waitFor();
      await page.getByRole("link", { name: "Set up an app" }).waitFor();
      await page.getByLabel("New password", { exact: true }).waitFor();
    },
  },
  "security with a second factor": {
    path: () => "/me/security",
    title: /^Security/,
    ready: async (page) => {
      await page.getByText("recovery codes left").waitFor();
      await page.getByRole("button", { name: "Rename" }).first().waitFor();
    },
    cookie: ({ verifiedCookie }) => verifiedCookie,
  },
  "project settings": {
    path: ({ slug }) => `/p/${slug}/settings/general`,
    title: /^Settings, shop/,
    ready: (page) => page.getByRole("heading", { name: "Archive", exact: true }).waitFor(),
  },
  "settings of an archived project": {
    path: () => "/p/closed/settings/general",
    title: /^Settings, closed/,
    ready: (page) => page.getByRole("heading", { name: "Archived", exact: true }).waitFor(),
  },
  members: {
    path: ({ slug }) => `/p/${slug}/settings/members`,
    title: /^Members, shop/,
    ready: (page) => page.getByRole("cell", { name: "operator@example.org" }).waitFor(),
  },
  "api keys": {
    path: () => "/me/api-keys",
    title: /^API keys/,
    ready: (page) => page.getByRole("heading", { level: 1, name: "API keys" }).waitFor(),
  },
  users: {
    path: () => "/admin/users",
    isFor: "instance admins",
    title: /^Users/,
    ready: (page) => page.getByRole("heading", { level: 1, name: "Users" }).waitFor(),
  },
  "users past the last page": {
    path: () => "/admin/users?page=9",
    isFor: "instance admins",
    title: /^Users/,
    ready: (page) => page.getByRole("heading", { level: 1, name: "Users" }).waitFor(),
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
      await page.getByText("Head of the chain valid, rows not verified").waitFor();
    },
    isFor: "auditors and admins",
  },
  "audit filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/audit?action=nothing&outcome=deny`,
    title: /^Audit, shop/,
    ready: (page) => page.getByText("No entries match").waitFor(),
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
    ready: (page) => page.getByText("No entries match").waitFor(),
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
    ready: (page) => page.getByText("Checking for newer versions is off").waitFor(),
    isFor: "instance admins",
  },
  health: {
    path: () => "/admin/health",
    title: /^Health/,
    ready: async (page) => {
      await page.getByText("All subsystems are working").waitFor();
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
    ready: (page) => page.getByText("Page not found").waitFor(),
    isBare: true,
  },
};

export function pageNamed(name: string): PageCase {
  const found = pages[name];
  if (found === undefined) throw new Error(`no page ${name}`);
  return found;
}

/** The faults of a page except those that its case expects. */
export const otherFaults = ({ logs }: PageCase, faults: readonly string[]): string[] =>
  faults.filter((fault) => logs === undefined || !fault.startsWith(logs));

/** The session's cookie for a page; empty without a session. */
export const cookieFor = (one: PageCase, site: Site, { as }: Pick<TestBrain, "as">): string =>
  one.isAnonymous ? "" : (one.cookie?.(site) ?? as.root.cookie);

/** A project with sample tasks, an online agent and an invitation; an empty and an archived project; and two API keys. */
export async function fillSite(brain: TestBrain): Promise<Site> {
  await brain.addProject("empty", "Empty");
  await brain.addProject("closed", "Closed");
  const { root } = brain.as;
  await root.delete("/projects/closed");
  await root.post(`/projects/${brain.project.slug}/invitations`, { email: "mira@example.org", role: "operator" });
  await root.post("/api-keys", { name: "everything", scopes: ["admin:*"] });
  await root.post("/api-keys", {
    name: "nightly report",
    scopes: ["home:read", "tasks:read"],
    project_id: brain.project.id,
    expires_in_days: 90,
    allowed_cidrs: ["10.20.0.0/16", "2001:db8::7"],
  });
  const adapter = createScriptedAdapter("scripted", ["cancel_task"]);
  const connected = { ...(await brain.connectAgent({ engines: [adapter] })), adapter };
  await reportSample(brain, connected);
  const worker = await waitFor(async () => {
    await brain.flushNotes();
    const { body } = await brain.as.root.get(`/projects/${brain.project.slug}/workers`);
    return body.items.find(({ name }: { name: string }) => name === "billing-1");
  });
  const commandId = await failCommand(brain);
  const fingerprint = await fingerprintOf(brain);
  const ids = {
    slug: brain.project.slug,
    agentId: connected.minted.agentId,
    workerId: worker.id,
    commandId,
    fingerprint,
  };
  const schedules = await fillSchedules(brain);
  return { ...ids, ...schedules, ...(await fillBulkRetries(brain)), ...(await fillAccounts(brain)) };
}
