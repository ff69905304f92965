/** The cursor of a chart: on one bucket or, with `from`, on a range of buckets. */
export interface Cursor {
  readonly at: number;
  readonly from: number | null;
}

export type CursorMove = { readonly to: Cursor | null } | { readonly act: "open" | "range" } | null;

const pageSteps = 10;

/** The effect of a key on the cursor of a chart with `size` buckets; null for other keys. */
export function cursorKey(cursor: Cursor | null, key: { key: string; shiftKey: boolean }, size: number): CursorMove {
  const at = cursor?.at ?? size - 1;
  switch (key.key) {
    case "Enter":
    case " ":
      return cursor === null ? null : { act: cursor.from === null ? "open" : "range" };
    case "Escape":
      return cursor === null ? null : { to: cursor.from === null ? null : { at, from: null } };
    default: {
      const step = stepOf(key.key, size);
      if (step === null) return null;
      // The first arrow key selects the newest bucket.
      const next = cursor === null && Math.abs(step) === 1 ? at : Math.min(size - 1, Math.max(0, at + step));
      return { to: { at: next, from: key.shiftKey ? (cursor?.from ?? at) : null } };
    }
  }
}

function stepOf(key: string, size: number): number | null {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowDown: -1,
    ArrowUp: 1,
    PageDown: -pageSteps,
    PageUp: pageSteps,
    Home: -size,
    End: size,
  };
  return steps[key] ?? null;
}

/** The first and last bucket of the cursor. */
export function cursorSpan({ at, from }: Cursor): { first: number; last: number } {
  return { first: Math.min(at, from ?? at), last: Math.max(at, from ?? at) };
}
