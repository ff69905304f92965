// The catalogue of scopes as a checklist, grouped by resource.

export interface ScopeGroup {
  /** The part of the scopes before the colon. */
  noun: string;
  title: string;
  text: string;
  /** In the catalogue's order: read before write. */
  scopes: readonly string[];
}

const nounTexts: Readonly<Record<string, readonly [title: string, text: string]>> = {
  home: ["Home", "figures of all projects, statistics, trends, latencies, server status"],
  projects: ["Projects", "projects; write creates, changes and archives them"],
  tasks: ["Tasks", "tasks, events, facets, issues, dead letters; write deletes tasks and manages saved views"],
  workers: ["Workers", "workers and their counters"],
  queues: ["Queues", "queues and their depths"],
  agents: ["Agents", "agents, their history and lost events; write creates and revokes agents"],
  commands: ["Commands", "commands; write sends them"],
  audit: ["Audit", "audit log, exports, activity feed"],
  memberships: ["Members", "project members and invitations; write changes them"],
  users: ["Users", "user accounts, read only"],
  admin: ["Everything", "everything above, including scopes added in later versions"],
};

export function groupScopes(scopes: readonly string[]): ScopeGroup[] {
  const nouns = [...new Set(scopes.map(nounOf))];
  return nouns.map((noun) => {
    const [title, text] = nounTexts[noun] ?? [noun, ""];
    return { noun, title, text, scopes: scopes.filter((scope) => nounOf(scope) === noun) };
  });
}

const nounOf = (scope: string): string => scope.split(":", 1)[0] ?? scope;

/** Whether another chosen scope includes this one: a write scope includes its read scope, admin:* includes all. */
export function isIncluded(scope: string, chosen: ReadonlySet<string>): boolean {
  if (scope !== "admin:*" && chosen.has("admin:*")) return true;
  return scope.endsWith(":read") && chosen.has(`${nounOf(scope)}:write`);
}

/** The chosen scopes without those that another one includes. */
export function scopesToSend(chosen: ReadonlySet<string>): string[] {
  return [...chosen].filter((scope) => !isIncluded(scope, chosen));
}

/** Whether a key with these scopes can create projects, if its owner can. */
export const makesProjects = (chosen: ReadonlySet<string>): boolean =>
  chosen.has("projects:write") || chosen.has("admin:*");
