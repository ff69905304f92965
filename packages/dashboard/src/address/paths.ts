import type { RegisteredRouter } from "@tanstack/react-router";
import { stringifySearch } from "./search-text.ts";

// Every address of the dashboard, made from the route of its page: one that no route mounts does not compile.
const part = encodeURIComponent;
/** Browsers fold an address at these two, escaped or not, so they never stand as a part of a path. */
const isDots = (text: string) => text === "." || text === "..";

type Pages = RegisteredRouter["routesByPath"];
type ReadBy<Page extends keyof Pages> = Pages[Page]["types"]["fullSearchSchema"];
/** What may stand after the `?` of a page: what its route reads. What is undefined or empty is left out. */
export type SearchOf<Page extends keyof Pages> = { [Key in keyof ReadBy<Page>]?: ReadBy<Page>[Key] | "" | undefined };

type ParamsOf<Page extends string> = Page extends `${string}$${infer Rest}`
  ? [param: string, ...(Rest extends `${string}/${infer Next}` ? ParamsOf<Next> : [])]
  : [];
type Address<Page extends keyof Pages> = (...given: [...ParamsOf<Page>, search?: SearchOf<Page>]) => string;

/** The addresses of a page: what stands for the `$` parts of its route, in their order, and a search. */
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
  /** Of an id that no path can carry the address is that of the drawer over the list. */
  task: (...[slug, engine, taskId, search]: Parameters<typeof task>) =>
    isDots(engine) || isDots(taskId)
      ? tasks(slug, { task: `${engine}/${taskId}` })
      : task(slug, engine, taskId, search),
  queues,
  /** Queues that no address can carry are found in the list. */
  queue: (slug: string, engine: string, name: string) =>
    isDots(engine) || isDots(name) || name === "" ? queues(slug, { filter: name }) : queue(slug, engine, name),
  workers: to("/p/$slug/workers"),
  worker: to("/p/$slug/workers/$workerId"),
  issues: to("/p/$slug/issues"),
  issue: to("/p/$slug/issues/$fingerprint"),
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

/** Only a path of our own may follow a sign-in; anything else is the start page. */
export function safeReturn(next: string | undefined): string {
  if (!next?.startsWith("/") || /^\/[/\\]/.test(next) || next.startsWith("/login")) return "/";
  return next;
}
