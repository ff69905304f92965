// The columns of the task list: which are shown, in which order and how wide. The checkbox column is always first.

export const columnIds = [
  "state",
  "name",
  "engine",
  "queue",
  "worker",
  "lifecycle",
  "wait",
  "run",
  "try",
  "age",
  "priority",
  "error",
  "release",
  "tags",
  "id",
  "started",
  "finished",
] as const;
export type ColumnId = (typeof columnIds)[number];

interface ColumnFacts {
  label: string;
  widthRem: number;
  leastRem: number;
  /** Numbers are right-aligned. */
  isFigure?: boolean;
  /** Plain text, truncated if too long. */
  isText?: boolean;
}

export const columnFacts: Readonly<Record<ColumnId, ColumnFacts>> = {
  state: { label: "State", widthRem: 6.25, leastRem: 6 },
  name: { label: "Task", widthRem: 12, leastRem: 8 },
  engine: { label: "Engine", widthRem: 4.25, leastRem: 3, isText: true },
  queue: { label: "Queue", widthRem: 5.25, leastRem: 4, isText: true },
  worker: { label: "Worker", widthRem: 7, leastRem: 4, isText: true },
  lifecycle: { label: "Duration", widthRem: 9, leastRem: 7 },
  wait: { label: "Wait", widthRem: 4.5, leastRem: 4, isFigure: true },
  run: { label: "Run", widthRem: 4.5, leastRem: 4, isFigure: true },
  try: { label: "Try", widthRem: 2, leastRem: 2, isFigure: true, isText: true },
  age: { label: "Age", widthRem: 4.75, leastRem: 4.5, isFigure: true },
  priority: { label: "Priority", widthRem: 4.5, leastRem: 4, isText: true },
  error: { label: "Error", widthRem: 14, leastRem: 6, isText: true },
  release: { label: "Release", widthRem: 6, leastRem: 4, isText: true },
  tags: { label: "Tags", widthRem: 8, leastRem: 4, isText: true },
  id: { label: "Task id", widthRem: 12, leastRem: 6, isText: true },
  started: { label: "Started", widthRem: 11.5, leastRem: 6 },
  finished: { label: "Finished", widthRem: 11.5, leastRem: 6 },
};

export interface ColumnLayout {
  /** In display order; always includes the name. */
  shown: readonly ColumnId[];
  /** Widths changed by the user. */
  widthsRem: Readonly<Partial<Record<ColumnId, number>>>;
}

const maximumRem = 40;
const gapRem = 0.75;
const checkboxRem = 1.75;

/** On narrow screens, the columns with mostly repeated values are hidden. */
export function defaultLayout(isNarrow: boolean): ColumnLayout {
  const shown = columnIds.slice(0, 10);
  const dropped: readonly ColumnId[] = ["engine", "worker", "try"];
  return { shown: isNarrow ? shown.filter((id) => !dropped.includes(id)) : shown, widthsRem: {} };
}

/** The columns that fit into the two lines of a phone row; the first two are always shown. */
export const phoneColumns: readonly ColumnId[] = ["state", "name", "age", "queue", "lifecycle", "try"];
export const phoneLayout: ColumnLayout = { shown: phoneColumns, widthsRem: {} };

export const widthOf = (layout: ColumnLayout, id: ColumnId): number => layout.widthsRem[id] ?? columnFacts[id].widthRem;

export function resized(layout: ColumnLayout, id: ColumnId, widthRem: number): ColumnLayout {
  const width = Math.round(Math.min(maximumRem, Math.max(columnFacts[id].leastRem, widthRem)) * 16) / 16;
  return { ...layout, widthsRem: { ...layout.widthsRem, [id]: width } };
}

/** Moves a shown column to another position, clamped to the ends. */
export function moved(layout: ColumnLayout, id: ColumnId, to: number): ColumnLayout {
  if (!layout.shown.includes(id)) return layout;
  const shown = layout.shown.filter((one) => one !== id);
  shown.splice(Math.max(0, Math.min(shown.length, to)), 0, id);
  return { ...layout, shown };
}

/** Hides a column, or shows it as the last one. The name cannot be hidden. */
export function toggled(layout: ColumnLayout, id: ColumnId): ColumnLayout {
  if (id === "name") return layout;
  const isShown = layout.shown.includes(id);
  return { ...layout, shown: isShown ? layout.shown.filter((one) => one !== id) : [...layout.shown, id] };
}

/** The grid's tracks, checkbox first, and its minimum width before it scrolls horizontally. */
export function tracksOf(layout: ColumnLayout): { columns: string; leastWidth: string } {
  const tracks = layout.shown.map((id) =>
    id === "name" ? `minmax(${widthOf(layout, id)}rem, 1fr)` : `${widthOf(layout, id)}rem`,
  );
  const sum = layout.shown.reduce((all, id) => all + widthOf(layout, id) + gapRem, checkboxRem);
  return {
    columns: `calc(var(--gutter) + ${checkboxRem}rem) ${tracks.join(" ")}`,
    leastWidth: `calc(2 * var(--gutter) + ${sum}rem)`,
  };
}

/** Parses a stored layout; null if invalid. Columns that no longer exist are dropped. */
export function readLayout(text: string | null): ColumnLayout | null {
  if (text === null) return null;
  try {
    const stored: unknown = JSON.parse(text);
    if (typeof stored !== "object" || stored === null) return null;
    const { shown, widths } = stored as { shown?: unknown; widths?: unknown };
    if (!Array.isArray(shown)) return null;
    const known = [...new Set(shown)].filter((id): id is ColumnId => columnIds.some((one) => one === id));
    const start: ColumnLayout = { shown: known.includes("name") ? known : ["name", ...known], widthsRem: {} };
    return Object.entries(widths ?? {}).reduce((layout, [id, width]) => {
      const column = columnIds.find((one) => one === id);
      return column && Number.isFinite(width) ? resized(layout, column, width as number) : layout;
    }, start);
  } catch {
    return null;
  }
}

export function layoutText({ shown, widthsRem }: ColumnLayout): string {
  return JSON.stringify({ shown, widths: widthsRem });
}
