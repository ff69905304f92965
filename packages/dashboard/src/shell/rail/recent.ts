import { createStore } from "../../ui/store.ts";

// Which tasks and projects were looked at last, for the palette and the project switcher. Kept in this browser, per user.

export interface RecentTask {
  slug: string;
  engine: string;
  taskId: string;
  name: string;
}
/** A command that was issued in this browser, or a bulk retry. */
export interface RecentCommand {
  slug: string;
  id: string;
  isBulk?: true;
  /** Of many commands that were made one after the other, whose id is the run's own: what they do. */
  runAction?: string;
  progress?: RunProgress;
  /** What it does, as the tray says it. */
  words: string;
  /** Engine and id of the one task that it is about, with a slash between them; empty without one. */
  task: string;
}
/** How far a run of requests has come, which a page makes one after the other. */
export interface RunProgress {
  made: number;
  total: number;
  /** The load of a page that makes them. */
  page: string;
  /** Epoch milliseconds of the last one. */
  at: number;
  /** Why no more are made, before all of them were. */
  ended?: "stopped" | "failed" | "closed";
}
export interface Recent {
  tasks: readonly RecentTask[];
  commands: readonly RecentCommand[];
  projects: readonly string[];
}

const maximum = 8;
const nothing: Recent = { tasks: [], commands: [], projects: [] };

/** So many bulk retries stay, which the tray takes away once they have ended. */
const mostBulk = 50;
const isKept = (item: unknown, at: number): boolean =>
  at < maximum || (at < mostBulk && (item as Partial<RecentCommand>).isBulk === true);

/** With `item` in front, at most once, and no more than are worth showing; bulk retries, which may still go on, are not pushed out. */
export function newestFirst<Item>(list: readonly Item[], item: Item, keyOf: (item: Item) => string): Item[] {
  return [item, ...list.filter((one) => keyOf(one) !== keyOf(item))].filter(isKept);
}

/** What storage holds, which anybody may have written to. */
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

/** Those of a list that have these texts. */
function listOf<Item>(list: unknown, keys: readonly (keyof Item & string)[]): Item[] {
  const isItem = (value: unknown): boolean =>
    typeof value === "object" &&
    value !== null &&
    keys.every((key) => typeof (value as Record<string, unknown>)[key] === "string");
  return (Array.isArray(list) ? list : []).filter(isItem).filter(isKept) as Item[];
}

export const recent = createStore<Recent>(nothing);
let place: string | null = null;

/** Reads what this user looked at before. */
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

/** Another tab has changed it. */
function readElsewhere({ key, newValue }: StorageEvent): void {
  if (key !== null && key === place) recent.set(readRecent(newValue));
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

export function noteCommand(command: RecentCommand): void {
  const known = recent.get();
  change({ ...known, commands: newestFirst(known.commands, command, ({ id }) => id) });
}

/** Takes commands out of the tray. */
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
    // It could not be kept either.
  }
}
