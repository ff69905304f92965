import type { Me, RecordedRow } from "@svc/client";
import { idTail, nameText } from "../../ui/time/format.ts";

/** The classes of actions, each the first dotted part of its actions, in the order in which a person looks for them. */
const knownClasses = [
  "auth",
  "user",
  "api_key",
  "membership",
  "invitation",
  "project",
  "agent",
  "command",
  "task",
  "tasks",
  "bulk_retry_request",
  "dead_letters",
  "schedule",
  "schedules",
  "automation",
  "notifications",
  "subscription",
  "audit",
  "setup",
  "openapi",
] as const;

export const outcomes = ["allow", "deny", "failure", "error"] as const;

export interface ActionClass {
  /** The class with its dot, as a filter has it. */
  prefix: string;
  name: string;
  /** Actions of it that were seen, by name. */
  actions: string[];
}

const classOf = (action: string): string => action.split(".", 1)[0] ?? "";

/** The classes that there are, and below each the actions that were seen. */
export function actionTree(seen: Iterable<string>): ActionClass[] {
  const byClass = new Map<string, Set<string>>(knownClasses.map((name) => [name, new Set()]));
  for (const action of seen) {
    const name = classOf(action);
    if (name === action) continue;
    const actions = byClass.get(name) ?? new Set();
    byClass.set(name, actions.add(action));
  }
  return [...byClass].map(([name, actions]) => ({ prefix: `${name}.`, name, actions: [...actions].sort() }));
}

/** Names of accounts by id. */
export type Names = ReadonlyMap<string, string>;

/** Who acted: a name, `you`, the end of an id, or that no account did. */
export function actorText(
  row: Pick<RecordedRow, "user_id">,
  { me, names }: { me: Pick<Me, "id">; names: Names },
): string {
  if (row.user_id === null) return "no account";
  if (row.user_id === me.id) return "you";
  const name = names.get(row.user_id);
  return name === undefined ? `user ${idTail(row.user_id)}` : nameText(name);
}

const audited = ({ memberships }: Pick<Me, "memberships">) =>
  memberships.filter(({ role }) => role === "auditor" || role === "admin");

/** Slugs of the projects whose rows a person sees by membership. */
export const auditedSlugs = (me: Pick<Me, "memberships">): string[] =>
  audited(me).map(({ project_slug }) => project_slug);

/** What the activity feed shows a person, and why not more. */
export function reachText(me: Pick<Me, "is_admin" | "memberships">): string {
  if (me.is_admin) return "You see every row: of all projects, and those of none, as an instance admin.";
  const [first, second, ...others] = audited(me).map(({ project_name }) => nameText(project_name));
  if (first === undefined) {
    return "Your own events only: what you did outside of any project. The rows of a project are for its auditors and admins.";
  }
  const projects =
    second === undefined
      ? first
      : others.length === 0
        ? `${first} and ${second}`
        : `${first}, ${second} and ${others.length} other ${others.length === 1 ? "project" : "projects"}`;
  return `The rows of ${projects}, which you may audit, and your own events outside of any project.`;
}
