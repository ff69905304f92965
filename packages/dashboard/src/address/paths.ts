// Every address of the dashboard, as `src/routes/` mounts it.
const part = encodeURIComponent;
/** Browsers fold an address at these two, escaped or not, so they never stand as a part of a path. */
const isDots = (text: string) => text === "." || text === "..";

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
  activity: () => "/activity",
  settings: () => "/admin/settings",
  versions: () => "/admin/versions",
  health: () => "/admin/health",
  project: (slug: string) => `/p/${part(slug)}`,
  tasks: (slug: string) => `/p/${part(slug)}/tasks`,
  task: (slug: string, engine: string, taskId: string) =>
    isDots(engine) || isDots(taskId)
      ? `/p/${part(slug)}/tasks?task=${part(`${engine}/${taskId}`)}`
      : `/p/${part(slug)}/tasks/${part(engine)}/${part(taskId)}`,
  queues: (slug: string) => `/p/${part(slug)}/queues`,
  /** Queues that no address can carry are found in the list. */
  queue: (slug: string, engine: string, name: string) =>
    isDots(engine) || isDots(name) || name === ""
      ? `/p/${part(slug)}/queues?filter=${part(name)}`
      : `/p/${part(slug)}/queues/${part(engine)}/${part(name)}`,
  workers: (slug: string) => `/p/${part(slug)}/workers`,
  worker: (slug: string, workerId: string) => `/p/${part(slug)}/workers/${part(workerId)}`,
  issues: (slug: string) => `/p/${part(slug)}/issues`,
  issue: (slug: string, fingerprint: string) => `/p/${part(slug)}/issues/${part(fingerprint)}`,
  agents: (slug: string) => `/p/${part(slug)}/agents`,
  commands: (slug: string) => `/p/${part(slug)}/commands`,
  command: (slug: string, commandId: string) => `/p/${part(slug)}/commands/${part(commandId)}`,
  bulkRetry: (slug: string, requestId: string) => `/p/${part(slug)}/bulk-retries/${part(requestId)}`,
  deadLetters: (slug: string) => `/p/${part(slug)}/dead-letters`,
  projectSettings: (slug: string) => `/p/${part(slug)}/settings`,
  general: (slug: string) => `/p/${part(slug)}/settings/general`,
  members: (slug: string) => `/p/${part(slug)}/settings/members`,
  audit: (slug: string) => `/p/${part(slug)}/audit`,
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
