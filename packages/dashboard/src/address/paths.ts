import type { RegisteredRouter } from "@tanstack/react-router";
import { stringifySearch } from "./search-text.ts";

// Every path of the dashboard, derived from the routes: a path without a route does not compile.
const part = encodeURIComponent;
/** Browsers resolve dot segments, even escaped ones, so these can't be path segments. */
const isDots = (text: string) => text === "." || text === "..";

type Pages = RegisteredRouter["routesByPath"];
type ReadBy<Page extends keyof Pages> = Pages[Page]["types"]["fullSearchSchema"];
/** The search parameters that a page's route reads. Undefined and empty ones are omitted. */
export type SearchOf<Page extends keyof Pages> = { [Key in keyof ReadBy<Page>]?: ReadBy<Page>[Key] | "" | undefined };

type ParamsOf<Page extends string> = Page extends `${string}$${infer Rest}`
  ? [param: string, ...(Rest extends `${string}/${infer Next}` ? ParamsOf<Next> : [])]
  : [];
type Address<Page extends keyof Pages> = (...given: [...ParamsOf<Page>, search?: SearchOf<Page>]) => string;

/** Builds the paths of a page from the values of its `$` segments, in order, and search parameters. */
function to<Page extends keyof Pages>(route: Page): Address<Page> {
  const [start = "", ...rest] = route.split(/\$\w+/);
  return (...given) => {
    const path = rest.reduce((path, text, n) => path + part(given[n] as string) + text, start);
    return path + stringifySearch((given[rest.length] ?? {}) as Record<string, unknown>);
  };
}

const tasks = to("/p/$slug/tasks");
const task = to("/p/$slug/tasks/$engine/$taskId");
const users = to("/admin/users");
const queues = to("/p/$slug/queues");
const queue = to("/p/$slug/queues/$engine/$name");

export const paths = {
  home: to("/"),
  login: to("/login"),
  verify: to("/login/mfa"),
  enroll: to("/login/enroll"),
  reset: to("/reset"),
  profile: to("/me/profile"),
  security: to("/me/security"),
  appearance: to("/me/appearance"),
  apiKeys: to("/me/api-keys"),
  users: (page = 1) => users(page > 1 ? { page } : {}),
  activity: to("/activity"),
  settings: to("/admin/settings"),
  versions: to("/admin/versions"),
  health: to("/admin/health"),
  project: to("/p/$slug"),
  tasks,
  /** An id that can't be a path segment is opened in the drawer over the list. */
  task: (...[slug, engine, taskId, search]: Parameters<typeof task>) =>
    isDots(engine) || isDots(taskId)
      ? tasks(slug, { task: `${engine}/${taskId}` })
      : task(slug, engine, taskId, search),
  queues,
  /** A queue name that can't be a path segment leads to the filtered list. */
  queue: (slug: string, engine: string, name: string) =>
    isDots(engine) || isDots(name) || name === "" ? queues(slug, { filter: name }) : queue(slug, engine, name),
  workers: to("/p/$slug/workers"),
  worker: to("/p/$slug/workers/$workerId"),
  issues: to("/p/$slug/issues"),
  issue: to("/p/$slug/issues/$fingerprint"),
  schedules: to("/p/$slug/schedules"),
  forecast: to("/p/$slug/schedules/forecast"),
  misfires: to("/p/$slug/schedules/misfires"),
  newSchedule: to("/p/$slug/schedules/new"),
  schedule: to("/p/$slug/schedules/$scheduleId"),
  editSchedule: to("/p/$slug/schedules/$scheduleId/edit"),
  agents: to("/p/$slug/agents"),
  agent: to("/p/$slug/agents/$agentId"),
  commands: to("/p/$slug/commands"),
  command: to("/p/$slug/commands/$commandId"),
  bulkRetry: to("/p/$slug/bulk-retries/$requestId"),
  deadLetters: to("/p/$slug/dead-letters"),
  projectSettings: to("/p/$slug/settings"),
  general: to("/p/$slug/settings/general"),
  members: to("/p/$slug/settings/members"),
  audit: to("/p/$slug/audit"),
};

/** A safe redirect target after sign-in: a path of this dashboard, otherwise the start page. */
export function safeReturn(next: string | undefined): string {
  if (!next?.startsWith("/") || /^\/[/\\]/.test(next) || next.startsWith("/login")) return "/";
  return next;
}
