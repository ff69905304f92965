// What the palette lists, without React: entries with words to find them by, and which of them fit what was typed.

export interface Entry {
  id: string;
  group: (typeof groups)[number];
  label: string;
  /** What stands after the label: environment, engine and id. */
  detail?: string;
  keys?: string;
  icon: string;
  /** Other words to find it by. */
  also?: string;
  run: () => void;
}

/** In the order in which they are listed. */
const groups = [
  "Task with this id",
  "Selected tasks",
  "On this page",
  "Tasks",
  "This task",
  "Queues",
  "Workers",
  "Agents",
  "Issues",
  "Saved views",
  "Pages",
  "Projects",
  "Actions",
] as const;
/** Of each group, so that none hides the others. */
const maximumPerGroup = 8;

/** How well an entry fits: 0 not at all, more is better. Each word must occur; at the start of a word is better. What was found by its id fits always. */
function fit(entry: Entry, typed: string): number {
  if (entry.group === "Task with this id") return Number.POSITIVE_INFINITY;
  const label = entry.label.toLowerCase();
  const all = `${label} ${entry.detail ?? ""} ${entry.also ?? ""}`.toLowerCase();
  let score = 1;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    if (label.startsWith(word)) score += 4;
    else if (all.includes(` ${word}`)) score += 2;
    else if (all.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

/** The entries that fit, by group: the group with the best entry first, and the best entry of each first. */
export function fitting(entries: readonly Entry[], typed: string): { group: Entry["group"]; entries: Entry[] }[] {
  const scored = entries.map((entry) => ({ entry, score: fit(entry, typed) })).filter(({ score }) => score > 0);
  return groups
    .map((group) => scored.filter(({ entry }) => entry.group === group).sort((one, other) => other.score - one.score))
    .filter((fits) => fits.length > 0)
    .sort((one, other) => (other[0]?.score ?? 0) - (one[0]?.score ?? 0))
    .map((fits) => ({
      group: fits[0]?.entry.group ?? "Tasks",
      entries: fits.slice(0, maximumPerGroup).map(({ entry }) => entry),
    }));
}

/** Text that may be the id of a task: one word, and when it was typed one with a digit, as ids have that software makes. */
export function mayBeTaskId(text: string, isPasted: boolean): boolean {
  return text.length <= 300 && /^\S+$/.test(text) && (isPasted || /\d/.test(text));
}
