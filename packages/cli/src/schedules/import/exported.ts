import { cadenceKinds } from "@svc/cadence";
import { catchUpPolicies, overlapPolicies, priorities } from "@svc/client";
import {
  type Conversion,
  isObject,
  noteLeftOut,
  readJson,
  type ScheduleDraft,
  startConversion,
  UnsupportedEntry,
} from "./conversion.ts";

const texts = ["name", "engine", "expression", "timezone", "task_name"] as const;
const optionalTexts = ["queue", "priority", "catch_up", "overlap_policy", "source"] as const;
const words = { priority: priorities, catch_up: catchUpPolicies, overlap_policy: overlapPolicies } as const;
const limits = ["late_start_seconds", "long_run_seconds"] as const;
const known: ReadonlySet<string> = new Set([
  ...texts,
  ...optionalTexts,
  ...limits,
  "kind",
  "args",
  "kwargs",
  "is_enabled",
]);

/** Reads what `svc schedules export` prints: `{"schedules": [...]}`, or only the list. */
export function readExported(text: string, now: number): Conversion {
  const document = readJson(text);
  const conversion = startConversion(now);
  const entries = isObject(document) ? document.schedules : document;
  if (!Array.isArray(entries)) {
    conversion.refuse("the input", "it is neither a list of schedules nor an object with one");
    return conversion.done();
  }
  for (const [index, entry] of entries.entries()) {
    const name = isObject(entry) && typeof entry.name === "string" ? entry.name : "";
    const at = name === "" ? `entry ${index + 1}` : name;
    conversion.entry(at, () => {
      const draft = readDraft(entry);
      const others = Object.keys(entry as object).filter((field) => !known.has(field));
      noteLeftOut(conversion, at, others);
      return draft;
    });
  }
  return conversion.done();
}

function readDraft(entry: unknown): ScheduleDraft {
  if (!isObject(entry)) throw new UnsupportedEntry("it is not an object");
  const { kind, args = [], kwargs = {}, is_enabled: isEnabled } = entry;
  const found = cadenceKinds.find((one) => one === kind);
  if (found === undefined) throw new UnsupportedEntry(`its kind is not one of ${cadenceKinds.join(", ")}`);
  if (!Array.isArray(args)) throw new UnsupportedEntry("its args are not a list");
  if (!isObject(kwargs)) throw new UnsupportedEntry("its kwargs are not an object");
  if (isEnabled !== undefined && typeof isEnabled !== "boolean")
    throw new UnsupportedEntry("its is_enabled is not true or false");
  const required = Object.fromEntries(texts.map((field) => [field, readText(entry, field)]));
  const given = optionalTexts.filter((field) => entry[field] !== undefined && entry[field] !== null);
  const optional = Object.fromEntries(given.map((field) => [field, readText(entry, field)]));
  for (const [field, allowed] of Object.entries(words)) {
    const word = optional[field];
    if (word !== undefined && !(allowed as readonly string[]).includes(word))
      throw new UnsupportedEntry(`its ${field} is not one of ${allowed.join(", ")}`);
  }
  const numbers = limits.filter((field) => entry[field] !== undefined && entry[field] !== null);
  for (const field of numbers) {
    if (!Number.isInteger(entry[field])) throw new UnsupportedEntry(`its ${field} is not a whole number`);
  }
  Object.assign(optional, Object.fromEntries(numbers.map((field) => [field, entry[field]])));
  return {
    ...(required as Required),
    ...optional,
    kind: found,
    args,
    kwargs,
    ...(isEnabled !== undefined && { is_enabled: isEnabled }),
  };
}

type Required = Pick<ScheduleDraft, (typeof texts)[number]>;

function readText(entry: Readonly<Record<string, unknown>>, field: string): string {
  const value = field === "timezone" ? (entry.timezone ?? "UTC") : entry[field];
  if (typeof value !== "string") throw new UnsupportedEntry(`it has no ${field}`);
  return value;
}
