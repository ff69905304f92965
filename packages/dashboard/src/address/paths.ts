import type { RegisteredRouter } from "@tanstack/react-router";
import { stringifySearch } from "./search-text.ts";

// Every address of the dashboard, as `src/routes/` mounts it.
const part = encodeURIComponent;
/** Browsers fold an address at these two, escaped or not, so they never stand as a part of a path. */
const isDots = (text: string) => text === "." || text === "..";

type Pages = RegisteredRouter["routesByPath"];
type ReadBy<Page extends keyof Pages> = Pages[Page]["types"]["fullSearchSchema"];
/** What may stand after the `?` of a page: what its route reads. What is undefined or empty is left out. */
export type SearchOf<Page extends keyof Pages> = { [Key in keyof ReadBy<Page>]?: ReadBy<Page>[Key] | "" | undefined };

export const paths = {
  home: () => "/",
  login: (next?: string) => (next === undefined ? "/login" : `/login?next=${part(next)}`),
  verify: (next: string) => `/login/mfa?next=${part(next)}`,
  enroll: (next: string) => `/login/enroll?next=${part(next)}`,
  reset: () => "/reset",
  profile: () => "/me/profile",
  security: () => "/me/security",
  appearance: () => "/me/appearance",
  apiKeys: () => "/me/api-keys",
  users: (page = 1) => (page > 1 ? `/admin/users?page=${page}` : "/admin/users"),
  activity: (search: SearchOf<"/activity"> = {}) => `/activity${stringifySearch(search)}`,
  settings: () => "/admin/settings",
  versions: () => "/admin/versions",
  health: () => "/admin/health",
  project: (slug: string) => `/p/${part(slug)}`,
  tasks: (slug: string, search: SearchOf<"/p/$slug/tasks"> = {}) => `/p/${part(slug)}/tasks${stringifySearch(search)}`,
  /** Of an id that no path can carry the address is that of the drawer over the list. */
  task: (slug: string, engine: string, taskId: string, search: SearchOf<"/p/$slug/tasks/$engine/$taskId"> = {}) =>
    isDots(engine) || isDots(taskId)
      ? `/p/${part(slug)}/tasks?task=${part(`${engine}/${taskId}`)}`
      : `/p/${part(slug)}/tasks/${part(engine)}/${part(taskId)}${stringifySearch(search)}`,
  queues: (slug: string) => `/p/${part(slug)}/queues`,
  /** Queues that no address can carry are found in the list. */
  queue: (slug: string, engine: string, name: string) =>
    isDots(engine) || isDots(name) || name === ""
      ? `/p/${part(slug)}/queues?filter=${part(name)}`
      : `/p/${part(slug)}/queues/${part(engine)}/${part(name)}`,
  workers: (slug: string) => `/p/${part(slug)}/workers`,
  worker: (slug: string, workerId: string) => `/p/${part(slug)}/workers/${part(workerId)}`,
  issues: (slug: string, search: SearchOf<"/p/$slug/issues"> = {}) =>
    `/p/${part(slug)}/issues${stringifySearch(search)}`,
  issue: (slug: string, fingerprint: string) => `/p/${part(slug)}/issues/${part(fingerprint)}`,
  agents: (slug: string, search: SearchOf<"/p/$slug/agents"> = {}) =>
    `/p/${part(slug)}/agents${stringifySearch(search)}`,
  commands: (slug: string, search: SearchOf<"/p/$slug/commands"> = {}) =>
    `/p/${part(slug)}/commands${stringifySearch(search)}`,
  command: (slug: string, commandId: string) => `/p/${part(slug)}/commands/${part(commandId)}`,
  bulkRetry: (slug: string, requestId: string, search: SearchOf<"/p/$slug/bulk-retries/$requestId"> = {}) =>
    `/p/${part(slug)}/bulk-retries/${part(requestId)}${stringifySearch(search)}`,
  deadLetters: (slug: string, search: SearchOf<"/p/$slug/dead-letters"> = {}) =>
    `/p/${part(slug)}/dead-letters${stringifySearch(search)}`,
  projectSettings: (slug: string) => `/p/${part(slug)}/settings`,
  general: (slug: string) => `/p/${part(slug)}/settings/general`,
  members: (slug: string) => `/p/${part(slug)}/settings/members`,
  audit: (slug: string, search: SearchOf<"/p/$slug/audit"> = {}) => `/p/${part(slug)}/audit${stringifySearch(search)}`,
  agent: (slug: string, agentId: string) => `/p/${part(slug)}/agents/${part(agentId)}`,
};

/** The same sub-page in another project: what the project switcher keeps. Detail pages lead back to their list; bulk retries have none. */
export function samePageIn(slug: string, pathname: string): string {
  const section = /^\/p\/[^/]+\/([a-z-]+)/.exec(pathname)?.[1];
  if (section === "bulk-retries") return paths.commands(slug);
  return section ? `${paths.project(slug)}/${section}` : paths.project(slug);
}

/** Only a path of our own may follow a sign-in; anything else is the start page. */
export function safeReturn(next: string | undefined): string {
  if (!next?.startsWith("/") || /^\/[/\\]/.test(next) || next.startsWith("/login")) return "/";
  return next;
}
