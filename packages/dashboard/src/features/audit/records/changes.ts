/** A value before and after a change; absent on the side where it did not exist. */
export interface Change {
  name: string;
  before?: unknown;
  after?: unknown;
}

export interface ChangeSummary {
  changes: Change[];
  /** The number of values that are the same on both sides. */
  unchanged: number;
  /** The remaining metadata. */
  rest: Record<string, unknown>;
}

type Values = Record<string, unknown>;
const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const previousPrefix = "previous_";

/** The changes in a row's metadata, given as `before` and `after` or as `previous_x` next to `x`. */
export function changesIn(metadata: Values): ChangeSummary {
  const summary: ChangeSummary = { changes: [], unchanged: 0, rest: { ...metadata } };
  const { before, after } = metadata;
  if (isValues(before) && isValues(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (name in before && name in after && isSame(before[name], after[name])) summary.unchanged += 1;
      else {
        summary.changes.push({
          name,
          ...(name in before && { before: before[name] }),
          ...(name in after && { after: after[name] }),
        });
      }
    }
    delete summary.rest.before;
    delete summary.rest.after;
  }
  for (const [key, value] of Object.entries(metadata)) {
    const name = key.slice(previousPrefix.length);
    if (!key.startsWith(previousPrefix) || !(name in metadata)) continue;
    summary.changes.push({ name, before: value, after: metadata[name] });
    delete summary.rest[key];
    delete summary.rest[name];
  }
  return summary;
}
