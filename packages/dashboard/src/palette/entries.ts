// The entries of the palette and how they are matched, without React.

export interface Entry {
  id: string;
  group: (typeof groups)[number];
  label: string;
  /** Shown after the label: environment, engine or id. */
  detail?: string;
  keys?: string;
  icon: string;
  /** More search terms. */
  also?: string;
  run: () => void;
}

/** In display order. */
const groups = [
  "Task with this id",
  "Selected tasks",
  "On this page",
  "Tasks",
  "This task",
  "Queues",
  "Workers",
  "Agents",
  "Schedules",
  "Issues",
  "Saved views",
  "Pages",
  "Projects",
  "Actions",
] as const;
/** Limit per group, so that none hides the others. */
const maximumPerGroup = 8;

/** The match score of an entry; 0 is no match. Each word must occur, and word starts score higher. A task found by its id always matches. */
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

/** The matching entries by group, best group and best entries first. */
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

/** Whether a text may be a task id: a single word; if typed, with a digit, as generated ids have. */
export function mayBeTaskId(text: string, isPasted: boolean): boolean {
  return text.length <= 300 && /^\S+$/.test(text) && (isPasted || /\d/.test(text));
}
