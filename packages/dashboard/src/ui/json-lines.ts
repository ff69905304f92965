import { isExactNumber } from "@svc/client";

const redactionMarker = "[REDACTED]";
const cutSuffix = /\[\.\.\.(\d+) more bytes truncated\]$/;

export type JsonLine = {
  /** `args.0.name`, with `["a.b"]` for a key that would read as more than one: unique, and what "copy path" copies. */
  path: string;
  depth: number;
  label: string | null;
} & (
  | { kind: "open"; isArray: boolean; size: number; redacted: Redacted; isOpen: boolean }
  | { kind: "redacted" }
  | { kind: "text"; text: string; cutBytes: number | null }
  | { kind: "value"; text: string; isExact: boolean }
);

/** More lines than this are not drawn at once; the raw text is offered instead. */
export const maximumLines = 2_000;

/**
 * The visible lines of a JSON value. `isOpen` decides by path and depth whether a branch is unfolded. At most
 * `maximumLines` lines; a value nested deeper than the stack allows cannot occur, since this walks without recursion.
 */
export function jsonLines(
  label: string | null,
  value: unknown,
  isOpen: (path: string, depth: number) => boolean,
): JsonLine[] {
  const lines: JsonLine[] = [];
  const pending: { label: string | null; path: string; depth: number; value: unknown }[] = [
    { label, path: label ?? "$", depth: 0, value },
  ];
  for (let next = pending.pop(); next && lines.length < maximumLines; next = pending.pop()) {
    const { value: at, ...place } = next;
    const entries = entriesOf(at);
    if (!entries) {
      lines.push({ ...place, ...leaf(at) });
      continue;
    }
    const open = entries.length > 0 && isOpen(place.path, place.depth);
    lines.push({
      ...place,
      kind: "open",
      isArray: Array.isArray(at),
      size: entries.length,
      redacted: countRedacted(at),
      isOpen: open,
    });
    if (!open) continue;
    for (const [key, child] of entries.toReversed()) {
      pending.push({ label: key, path: pathBelow(place.path, key), depth: place.depth + 1, value: child });
    }
  }
  return lines;
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
    const cut = cutSuffix.exec(value);
    return { kind: "text", text: cut ? value.slice(0, cut.index) : value, cutBytes: cut ? Number(cut[1]) : null };
  }
  if (isExactNumber(value)) return { kind: "value", text: value.rawJSON, isExact: true };
  return { kind: "value", text: String(value), isExact: false };
}

export interface Redacted {
  found: number;
  /** Not all of the value was looked at, so there may be more. */
  isCut: boolean;
}

/** How many scalars below a value were redacted. Looks at no more than a few thousand. */
export function countRedacted(value: unknown): Redacted {
  let found = 0;
  let looked = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && looked < 5_000) {
    looked += 1;
    const at = pending.pop();
    if (at === redactionMarker) found += 1;
    const entries = entriesOf(at);
    if (entries) for (const [, child] of entries) pending.push(child);
  }
  return { found, isCut: pending.length > 0 };
}

/** `3`, or `at least 3`. */
export function redactedText({ found, isCut }: Redacted): string {
  return isCut ? `at least ${found}` : String(found);
}

/** The value at a dotted path of `jsonLines`, as text to copy: strings as they are, everything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
