import { createStore } from "../../ui/store.ts";

// Recently viewed tasks and projects and recent commands, for the palette, project switcher and tray. Stored per user in this browser.

export interface RecentTask {
  slug: string;
  engine: string;
  taskId: string;
  name: string;
}
/** A command sent from this browser, or a bulk retry. */
export interface RecentCommand {
  slug: string;
  id: string;
  isBulk?: true;
  /** For a run of several commands, whose id is the run's own: their action. */
  runAction?: string;
  progress?: RunProgress;
  /** What it does, as shown in the tray. */
  words: string;
  /** `engine/id` of its task; empty without one. */
  task: string;
}
/** The progress of a run of requests that a page sends one after another. */
export interface RunProgress {
  made: number;
  total: number;
  /** Identifies the page load that sends them. */
  page: string;
  /** Epoch milliseconds of the last request. */
  at: number;
  /** Why the run ended early. */
  ended?: "stopped" | "failed" | "closed";
}
export interface Recent {
  tasks: readonly RecentTask[];
  commands: readonly RecentCommand[];
  projects: readonly string[];
}

const maximum = 8;
const nothing: Recent = { tasks: [], commands: [], projects: [] };

/** The maximum number of bulk retries; the tray removes them once they have ended. */
const mostBulk = 50;
const isKept = (item: unknown, at: number): boolean =>
  at < maximum || (at < mostBulk && (item as Partial<RecentCommand>).isBulk === true);

/** Moves `item` to the front and truncates the list, but keeps bulk retries, which may still be running. */
export function newestFirst<Item>(list: readonly Item[], item: Item, keyOf: (item: Item) => string): Item[] {
  return [item, ...list.filter((one) => keyOf(one) !== keyOf(item))].filter(isKept);
}

/** Parses the stored value, which may be anything. */
export function readRecent(text: string | null): Recent {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (typeof value !== "object" || value === null) return nothing;
    const { tasks, commands, projects } = value as Record<string, unknown>;
    return {
      tasks: listOf<RecentTask>(tasks, ["slug", "engine", "taskId", "name"]),
      commands: listOf<RecentCommand>(commands, ["slug", "id", "words", "task"]),
      projects: (Array.isArray(projects) ? projects : []).filter((one) => typeof one === "string").slice(0, maximum),
    };
  } catch {
    return nothing;
  }
}

/** The items of a list that have these string properties. */
function listOf<Item>(list: unknown, keys: readonly (keyof Item & string)[]): Item[] {
  const isItem = (value: unknown): boolean =>
    typeof value === "object" &&
    value !== null &&
    keys.every((key) => typeof (value as Record<string, unknown>)[key] === "string");
  return (Array.isArray(list) ? list : []).filter(isItem).filter(isKept) as Item[];
}

export const recent = createStore<Recent>(nothing);
let place: string | null = null;

/** Loads the user's recent items. */
export function openRecent(userId: string): void {
  const wanted = `svc.recent.${userId}`;
  if (place === wanted) return;
  if (place === null) addEventListener("storage", readElsewhere);
  place = wanted;
  try {
    recent.set(readRecent(localStorage.getItem(wanted)));
  } catch {
    recent.set(nothing);
  }
}

/** Applies a change from another tab. */
function readElsewhere({ key, newValue }: StorageEvent): void {
  if (key !== null && key === place) recent.set(readRecent(newValue));
}

function change(next: Recent): void {
  recent.set(next);
  if (place === null) return;
  try {
    localStorage.setItem(place, JSON.stringify(next));
  } catch {
    // Storage is blocked; the list lasts for this page only.
  }
}

export function noteTask(task: RecentTask): void {
  const known = recent.get();
  const keyOf = ({ slug, engine, taskId }: RecentTask) => JSON.stringify([slug, engine, taskId]);
  const [newest] = known.tasks;
  if (newest !== undefined && keyOf(newest) === keyOf(task) && newest.name === task.name) return;
  change({ ...known, tasks: newestFirst(known.tasks, task, keyOf) });
}

export function noteCommand(command: RecentCommand): void {
  const known = recent.get();
  change({ ...known, commands: newestFirst(known.commands, command, ({ id }) => id) });
}

/** Removes commands from the tray. */
export function dropCommands(ids: readonly string[]): void {
  const known = recent.get();
  change({ ...known, commands: known.commands.filter(({ id }) => !ids.includes(id)) });
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
    // Storage is blocked, so nothing was stored.
  }
}
