/** One thing that a row says was something else before. Absent on one side: it was not there. */
export interface Change {
  name: string;
  before?: unknown;
  after?: unknown;
}

export interface Told {
  changes: Change[];
  /** Things that both sides name, and that stayed as they were. */
  unchanged: number;
  /** What the metadata says besides. */
  rest: Record<string, unknown>;
}

type Values = Record<string, unknown>;
const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const previousPrefix = "previous_";

/** What changed, where a row's metadata has it: as `before` and `after`, or as `previous_x` beside `x`. */
export function changesIn(metadata: Values): Told {
  const told: Told = { changes: [], unchanged: 0, rest: { ...metadata } };
  const { before, after } = metadata;
  if (isValues(before) && isValues(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (name in before && name in after && isSame(before[name], after[name])) told.unchanged += 1;
      else {
        told.changes.push({
          name,
          ...(name in before && { before: before[name] }),
          ...(name in after && { after: after[name] }),
        });
      }
    }
    delete told.rest.before;
    delete told.rest.after;
  }
  for (const [key, value] of Object.entries(metadata)) {
    const name = key.slice(previousPrefix.length);
    if (!key.startsWith(previousPrefix) || !(name in metadata)) continue;
    told.changes.push({ name, before: value, after: metadata[name] });
    delete told.rest[key];
    delete told.rest[name];
  }
  return told;
}
