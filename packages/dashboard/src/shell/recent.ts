import { createStore } from "../ui/store.ts";

// Which tasks and projects were looked at last, for the palette and the project switcher. Kept in this browser, per user.

export interface RecentTask {
  slug: string;
  engine: string;
  taskId: string;
  name: string;
}
export interface Recent {
  tasks: readonly RecentTask[];
  projects: readonly string[];
}

const maximum = 8;
const nothing: Recent = { tasks: [], projects: [] };

/** With `item` in front, at most once, and no more than are worth showing. */
export function newestFirst<Item>(list: readonly Item[], item: Item, keyOf: (item: Item) => string): Item[] {
  return [item, ...list.filter((one) => keyOf(one) !== keyOf(item))].slice(0, maximum);
}

/** What storage holds, which anybody may have written to. */
export function readRecent(text: string | null): Recent {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (typeof value !== "object" || value === null) return nothing;
    const { tasks, projects } = value as Record<string, unknown>;
    return {
      tasks: (Array.isArray(tasks) ? tasks : []).filter(isRecentTask).slice(0, maximum),
      projects: (Array.isArray(projects) ? projects : []).filter((one) => typeof one === "string").slice(0, maximum),
    };
  } catch {
    return nothing;
  }
}

function isRecentTask(value: unknown): value is RecentTask {
  if (typeof value !== "object" || value === null) return false;
  const task = value as Record<string, unknown>;
  return (["slug", "engine", "taskId", "name"] as const).every((key) => typeof task[key] === "string");
}

export const recent = createStore<Recent>(nothing);
let place: string | null = null;

/** Reads what this user looked at before. */
export function openRecent(userId: string): void {
  const wanted = `svc.recent.${userId}`;
  if (place === wanted) return;
  place = wanted;
  try {
    recent.set(readRecent(localStorage.getItem(wanted)));
  } catch {
    recent.set(nothing);
  }
}

function change(next: Recent): void {
  recent.set(next);
  if (place === null) return;
  try {
    localStorage.setItem(place, JSON.stringify(next));
  } catch {
    // Then it lasts for this page only.
  }
}

export function noteTask(task: RecentTask): void {
  const known = recent.get();
  const keyOf = ({ slug, engine, taskId }: RecentTask) => JSON.stringify([slug, engine, taskId]);
  const [newest] = known.tasks;
  if (newest !== undefined && keyOf(newest) === keyOf(task) && newest.name === task.name) return;
  change({ ...known, tasks: newestFirst(known.tasks, task, keyOf) });
}

export function noteProject(slug: string): void {
  const known = recent.get();
  if (known.projects[0] !== slug) change({ ...known, projects: newestFirst(known.projects, slug, (one) => one) });
}

export function forgetRecent(): void {
  const old = place;
  recent.set(nothing);
  place = null;
  try {
    if (old !== null) localStorage.removeItem(old);
  } catch {
    // It could not be kept either.
  }
}
