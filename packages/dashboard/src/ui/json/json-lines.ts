import { isExactNumber } from "@svc/client";
import { findCutNote, redactionMarker } from "@svc/protocol/markers";

/** A tree of a panel. */
export interface JsonPart {
  label: string;
  value: unknown;
}

export type JsonLine = {
  /** `args.0.name`, with `["a.b"]` for ambiguous keys: unique, and copied by "Copy path". */
  path: string;
  depth: number;
  label: string | null;
  /** The value, for copying. */
  value: unknown;
} & (
  | { kind: "open"; isArray: boolean; size: number; redacted: Redacted; isOpen: boolean }
  | { kind: "redacted" }
  | { kind: "text"; text: string; cutBytes: number | null }
  | { kind: "value"; text: string; isExact: boolean }
);

/** The maximum number of listed lines; the raw text has all. */
export const maximumLines = 100_000;
/** The maximum number of members of one value that are counted or searched. */
const maximumScanned = 500_000;
const maximumHits = 1_000;

interface Place {
  label: string | null;
  path: string;
  depth: number;
  value: unknown;
}

const rootPlace = (label: string | null, value: unknown): Place => ({ label, path: label ?? "$", depth: 0, value });

/**
 * The visible lines of a JSON value, at most `maximumLines`. `isOpen` decides by path and depth whether a branch is unfolded. The walk is
 * not recursive, so deeply nested values cannot overflow the stack.
 */
export function jsonLines(
  label: string | null,
  value: unknown,
  isOpen: (path: string, depth: number) => boolean,
  redactedIn: (branch: object) => Redacted = redactions(value),
): JsonLine[] {
  const lines: JsonLine[] = [];
  const pending = [rootPlace(label, value)];
  for (let next = pending.pop(); next && lines.length < maximumLines; next = pending.pop()) {
    const at = next.value;
    const entries = entriesOf(at);
    if (!entries) {
      lines.push({ ...next, ...leaf(at) });
      continue;
    }
    const open = entries.length > 0 && isOpen(next.path, next.depth);
    lines.push({
      ...next,
      kind: "open",
      isArray: Array.isArray(at),
      size: entries.length,
      redacted: redactedIn(at as object),
      isOpen: open,
    });
    if (open) pending.push(...membersOf(next, entries, maximumLines - lines.length).reverse());
  }
  return lines;
}

function membersOf(place: Place, entries: [string, unknown][], most = entries.length): Place[] {
  return entries.slice(0, most).map(([key, value]) => ({
    label: key,
    path: pathBelow(place.path, key),
    depth: place.depth + 1,
    value,
  }));
}

function pathBelow(path: string, key: string): string {
  return /^[^.[\]"]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

function entriesOf(value: unknown): [string, unknown][] | null {
  if (typeof value !== "object" || value === null || isExactNumber(value)) return null;
  return Object.entries(value);
}

type Leaf =
  | { kind: "redacted" }
  | { kind: "text"; text: string; cutBytes: number | null }
  | { kind: "value"; text: string; isExact: boolean };

function leaf(value: unknown): Leaf {
  if (value === redactionMarker) return { kind: "redacted" };
  if (typeof value === "string") {
    const cut = findCutNote(value);
    return { kind: "text", text: cut ? value.slice(0, -cut.note.length) : value, cutBytes: cut ? cut.bytes : null };
  }
  if (isExactNumber(value)) return { kind: "value", text: value.rawJSON, isExact: true };
  return { kind: "value", text: String(value), isExact: false };
}

export interface Redacted {
  found: number;
  /** Whether the value was only partly scanned, so that there may be more. */
  isCut: boolean;
}

/** The number of redacted scalars below each branch, from a single walk. */
export function redactions(value: unknown): (branch: object) => Redacted {
  const branches: object[] = [];
  const parents: number[] = [];
  const counts: number[] = [];
  const pending: { value: unknown; parent: number }[] = [{ value, parent: -1 }];
  let scanned = 0;
  for (let next = pending.pop(); next && scanned < maximumScanned; next = pending.pop()) {
    scanned += 1;
    const entries = entriesOf(next.value);
    if (entries) {
      const parent = branches.push(next.value as object) - 1;
      parents.push(next.parent);
      counts.push(0);
      for (const [, child] of entries) pending.push({ value: child, parent });
    } else if (next.value === redactionMarker && next.parent >= 0) {
      counts[next.parent] = (counts[next.parent] ?? 0) + 1;
    }
  }
  const isCut = scanned >= maximumScanned && pending.length > 0;
  const found = new Map<object, number>();
  // Children come after their parents, so walking backwards completes every branch before adding it to its parent.
  for (let at = branches.length - 1; at >= 0; at--) {
    const total = counts[at] ?? 0;
    const parent = parents[at] ?? -1;
    if (parent >= 0) counts[parent] = (counts[parent] ?? 0) + total;
    found.set(branches[at] as object, total);
  }
  return (branch) => ({ found: found.get(branch) ?? 0, isCut });
}

/** The sum over several values, scalars included. */
export function countRedacted(values: readonly unknown[]): Redacted {
  return redactions(values)(values);
}

/** `3`, or `at least 3`. */
export function redactedText({ found, isCut }: Redacted): string {
  return isCut ? `at least ${found}` : String(found);
}

export interface Found {
  /** The paths of matching lines, in reading order. */
  hits: string[];
  /** Every branch above a match. */
  above: Set<string>;
  /** There may be more. */
  isCut: boolean;
}

/** Finds `text` in keys and scalars, ignoring case. Redaction markers never match. */
export function findInJson(label: string | null, value: unknown, text: string): Found {
  const found: Found = { hits: [], above: new Set(), isCut: false };
  const wanted = text.toLowerCase();
  if (wanted === "") return found;
  interface Step extends Place {
    parent: Step | null;
  }
  const pending: Step[] = [{ ...rootPlace(label, value), parent: null }];
  for (let scanned = 0, next = pending.pop(); next; scanned++, next = pending.pop()) {
    if (scanned >= maximumScanned || found.hits.length >= maximumHits) {
      found.isCut = true;
      break;
    }
    const entries = entriesOf(next.value);
    const shown = entries ? "" : leafText(next.value);
    if (shown.toLowerCase().includes(wanted) || next.label?.toLowerCase().includes(wanted)) {
      found.hits.push(next.path);
      for (let at = next.parent; at && !found.above.has(at.path); at = at.parent) found.above.add(at.path);
    }
    if (!entries) continue;
    for (const member of membersOf(next, entries).reverse()) pending.push({ ...member, parent: next });
  }
  return found;
}

function leafText(value: unknown): string {
  const { kind, ...rest } = leaf(value);
  return kind === "redacted" || !("text" in rest) ? "" : rest.text;
}

/** The number of nesting levels of a value, up to `most`. */
export function depthOf(value: unknown, most: number): number {
  let level = [value];
  let depth = 0;
  while (depth < most) {
    const below = level.flatMap((one) => entriesOf(one)?.map(([, child]) => child) ?? []);
    const hasBranch = level.some((one) => entriesOf(one) !== null);
    if (!hasBranch) return depth;
    depth += 1;
    level = below;
  }
  return depth;
}

/** A value as text to copy: strings as they are, everything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "null");
}
