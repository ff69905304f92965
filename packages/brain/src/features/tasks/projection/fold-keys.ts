import { type TaskKind, taskKinds } from "@svc/protocol";

/**
 * Keys of the projection. Every task event has the key K = (attempt, phase, occurred_at, rank, id), written as a text whose order by code
 * unit is the order of the keys, so that comparing two events is comparing two strings. A task row stores the keys that its fields came
 * from: a later merge needs no more.
 */
export type EventKey = string;

/** No event: less than every key. */
export const noKey: EventKey = "";

/** The fields that an event may carry, in the order of their keys in `fold`, after the winner and before the two others. */
export const carriedNames = [
  "name",
  "queue",
  "priority",
  "args",
  "kwargs",
  "eta",
  "parent_task_id",
  "root_task_id",
  "tags",
  "release",
  "traceparent",
  "max_attempts",
  "worker_name",
] as const;

export const winnerIndex = 0;
const idCharacters = 36;
export const startedIndex = carriedNames.length + 1;
const keyCount = carriedNames.length + 3;

/** Keys in fixed places: winner, the thirteen carriers, newest start, newest failure. */
export type FoldKeys = EventKey[];

// Years 0001 to 9999 in milliseconds, offset so that all have fifteen digits.
const timeOffset = 162_135_596_800_000;
const timeDigits = 15;

const shapeOf = Object.fromEntries(
  taskKinds.map((kind, rank) => [kind, { rank: String(rank), phase: rank < 4 ? "0" : "1" }]),
) as Record<TaskKind, { rank: string; phase: string }>;

export const isTerminalKind = (kind: TaskKind): boolean => shapeOf[kind].phase === "1";

export interface KeyParts {
  /** 0 to 1 000 000. */
  readonly attempt: number;
  readonly kind: TaskKind;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Lower case. */
  readonly id: string;
}

export function eventKey({ attempt, kind, at, id }: KeyParts): EventKey {
  const { rank, phase } = shapeOf[kind];
  // The number of digits comes first, so that 9 sorts before 10.
  const digits = attempt === 0 ? "10" : `${String(attempt).length}${attempt}`;
  return digits + phase + (at + timeOffset) + rank + id;
}

/** The attempt of the event that has this key. */
export const attemptOfKey = (key: EventKey): number => Number(key.slice(1, 1 + Number(key[0])));

/** occurred_at of the event that has this key, in milliseconds. */
export function timeOfKey(key: EventKey): number {
  const start = 2 + Number(key[0]);
  return Number(key.slice(start, start + timeDigits)) - timeOffset;
}

const noKeyCode = "-";
const keyCodes = "0123456789abcdef";
/** Code texts by arrangement, since few arrangements ever occur: the first half of the codes as a number, then the second. */
const arrangements = new Map<number, Map<number, string>>();
const maxArrangements = 4096;
const half = 8;

/**
 * Keys in the form of the `fold` column: one character per place after the winner (the index of its key below, `-` for none), then the
 * distinct keys, greatest first, so that equal keys always give equal text. The greatest key is the winner's.
 */
export function encodeFold(keys: FoldKeys): string {
  const distinct: EventKey[] = [];
  for (const key of keys) if (key !== noKey && !distinct.includes(key)) distinct.push(key);
  // The winner's key is already first.
  if (distinct.length > 2) distinct.sort().reverse();
  let first = 0;
  let second = 0;
  for (let place = 1; place < keyCount; place += 1) {
    const key = keys[place] as EventKey;
    const code = key === noKey ? 16 : distinct.indexOf(key);
    if (place <= half) first = first * 17 + code;
    else second = second * 17 + code;
  }
  return (
    codesOf(first, second, keys, distinct) + (distinct.length === 1 ? (distinct[0] as string) : distinct.join(","))
  );
}

function codesOf(first: number, second: number, keys: FoldKeys, distinct: readonly EventKey[]): string {
  const known = arrangements.get(first)?.get(second);
  if (known !== undefined) return known;
  const text = keys
    .slice(1)
    .map((key) => (key === noKey ? noKeyCode : keyCodes[distinct.indexOf(key)]))
    .join("");
  if (arrangements.size >= maxArrangements) arrangements.clear();
  const halves = arrangements.get(first) ?? new Map<number, string>();
  arrangements.set(first, halves.set(second, text));
  return text;
}

/** The id of the event that the row's state comes from; incomplete for a row restored from elsewhere. */
export const winnerIdOf = (fold: string): string => (decodeFold(fold)[winnerIndex] as EventKey).slice(-idCharacters);

/** Keys from the `fold` column. A row restored from elsewhere may have none. */
export function decodeFold(fold: string): FoldKeys {
  const codes = keyCount - 1;
  const distinct = fold.length > codes ? fold.slice(codes).split(",") : [];
  const keys: FoldKeys = [distinct[0] ?? noKey];
  for (let place = 0; place < codes; place += 1) {
    const letter = fold.charCodeAt(place);
    // Digits are 48 to 57, a to f 97 to 102, and `-` for no key 45.
    const index = letter >= 97 ? letter - 87 : letter - 48;
    keys.push(index < 0 ? noKey : (distinct[index] ?? noKey));
  }
  return keys;
}
