// The catalogue of scopes as a checklist: by what they are about, with what each of them reaches.

export interface ScopeGroup {
  /** What stands before the colon of the scopes. */
  noun: string;
  title: string;
  says: string;
  /** In the catalogue's order: reading before writing. */
  scopes: readonly string[];
}

const words: Readonly<Record<string, readonly [title: string, says: string]>> = {
  home: ["Home", "figures of all projects, statistics, trends, latencies, the state of the server"],
  projects: ["Projects", "the projects themselves; write makes, changes and archives them"],
  tasks: ["Tasks", "tasks, events, facets, issues, dead letters; write deletes tasks and keeps saved views"],
  workers: ["Workers", "workers and their counters"],
  queues: ["Queues", "queues and their depths"],
  agents: ["Agents", "agents, their history and what was lost; write mints and revokes them"],
  commands: ["Commands", "commands; write issues them"],
  audit: ["Audit", "audit rows, their exports, the activity feed"],
  memberships: ["Members", "members and invitations of a project; write changes them"],
  users: ["Users", "the accounts of this instance, read only"],
  admin: ["Everything", "all that any scope here reaches, now and in later versions"],
};

export function groupScopes(scopes: readonly string[]): ScopeGroup[] {
  const nouns = [...new Set(scopes.map(nounOf))];
  return nouns.map((noun) => {
    const [title, says] = words[noun] ?? [noun, ""];
    return { noun, title, says, scopes: scopes.filter((scope) => nounOf(scope) === noun) };
  });
}

const nounOf = (scope: string): string => scope.split(":", 1)[0] ?? scope;

/** Whether a scope comes with another one that was chosen: a write scope includes its read scope, admin:* all. */
export function isIncluded(scope: string, chosen: ReadonlySet<string>): boolean {
  if (scope !== "admin:*" && chosen.has("admin:*")) return true;
  return scope.endsWith(":read") && chosen.has(`${nounOf(scope)}:write`);
}

/** What is sent: the chosen scopes, without those that come with another one. */
export function scopesToMint(chosen: ReadonlySet<string>): string[] {
  return [...chosen].filter((scope) => !isIncluded(scope, chosen));
}

/** Whether a key with these scopes makes projects, if its owner may. */
export const makesProjects = (chosen: ReadonlySet<string>): boolean =>
  chosen.has("projects:write") || chosen.has("admin:*");
