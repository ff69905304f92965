import { type Me, plural, type RecordedRow } from "@svc/client";
import { idTail, nameText } from "../../ui/time/format.ts";

/** Labels of action classes. The class is the first dotted part of an action. */
const classNames: Readonly<Record<string, string>> = {
  auth: "Sign-in",
  user: "Users",
  api_key: "API keys",
  membership: "Members",
  invitation: "Invitations",
  project: "Project",
  agent: "Agents",
  command: "Commands",
  task: "Tasks",
  tasks: "Task lists",
  bulk_retry_request: "Bulk retries",
  dead_letters: "Dead letters",
  audit: "Audit",
  setup: "Setup",
  openapi: "API description",
};

export const outcomeNames: Readonly<Record<string, string>> = {
  allow: "Succeeded",
  deny: "Denied",
  failure: "Failed",
  error: "Error",
};

/** The outcome of a row; older rows have only a result. */
export const outcomeOf = ({ outcome, result }: Pick<RecordedRow, "outcome" | "result">): string =>
  outcome ?? (result === "success" ? "allow" : result === "failed" ? "failure" : result);

export interface ActionClass {
  /** The class with its dot, as used in filters. */
  prefix: string;
  name: string;
  /** Its actions, sorted. */
  actions: string[];
}

const classOf = (action: string): string => action.split(".", 1)[0] ?? "";

/** The classes of actions, sorted by name. */
export function actionTree(seen: Iterable<string>): ActionClass[] {
  const byClass = Map.groupBy(
    [...new Set(seen)].filter((action) => action.includes(".")),
    classOf,
  );
  return [...byClass]
    .map(([key, actions]) => ({ prefix: `${key}.`, name: classNames[key] ?? key, actions: actions.sort() }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Names by id: of accounts, or of agents. */
export type Names = ReadonlyMap<string, string>;

/** The actor: a name, `you` or the end of an id. Without an account it was the system or a request that was not signed in. */
export function actorText(
  row: Pick<RecordedRow, "user_id"> & { action?: string },
  { me, names }: { me: Pick<Me, "id">; names: Names },
): string {
  if (row.user_id === null) return row.action?.startsWith("auth.") ? "Not signed in" : "System";
  if (row.user_id === me.id) return "you";
  const name = names.get(row.user_id);
  return name === undefined ? `user ${idTail(row.user_id)}` : nameText(name);
}

/** The name of the target if known: from its account or agent, or from the row itself. */
export function targetName(
  row: Pick<RecordedRow, "target_type" | "target_id" | "metadata">,
  { names, agents }: { names: Names; agents: Names },
): string | null {
  const id = row.target_id ?? "";
  const name = names.get(id) ?? agents.get(id) ?? row.metadata.name;
  return typeof name === "string" && name !== "" ? nameText(name) : null;
}

const audited = ({ memberships }: Pick<Me, "memberships">) =>
  memberships.filter(({ role }) => role === "auditor" || role === "admin");

/** Slugs of the projects that the user may audit by membership. */
export const auditedSlugs = (me: Pick<Me, "memberships">): string[] =>
  audited(me).map(({ project_slug }) => project_slug);

/** Describes what the activity feed shows the user. */
export function reachText(me: Pick<Me, "is_admin" | "memberships">): string {
  if (me.is_admin) return "All entries, because you are an instance administrator.";
  const [first, second, ...others] = audited(me).map(({ project_name }) => nameText(project_name));
  if (first === undefined) {
    return "Only your own entries outside of projects. A project's entries are for its auditors and admins.";
  }
  const projects =
    second === undefined
      ? first
      : others.length === 0
        ? `${first} and ${second}`
        : `${first}, ${second} and ${plural(others.length, "other project")}`;
  return `Entries of ${projects}, and your own entries outside of projects.`;
}
