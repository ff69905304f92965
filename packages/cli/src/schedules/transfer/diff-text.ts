import { describeCadence } from "@svc/cadence";
import { inOneLine } from "../../terminal/printed.ts";

/** A schedule that an import would create, change, leave or delete. The service leaves very large ones out. */
export interface DiffEntry {
  readonly name: string;
  readonly proposed?: object;
  readonly current?: object;
}

export interface Diff {
  readonly inserted: readonly DiffEntry[];
  readonly updated: readonly DiffEntry[];
  readonly unchanged: readonly DiffEntry[];
  readonly deleted: readonly DiffEntry[];
}

export const changesNothing = ({ inserted, updated, deleted }: Diff): boolean =>
  inserted.length + updated.length + deleted.length === 0;

/** A line for each difference: `+` is created, `~` is changed, `-` is deleted. */
export const diffLines = ({ inserted, updated, deleted }: Diff): string[] => [
  ...inserted.map((entry) => `+ ${inOneLine(entry.name)}  ${definitionOf(entry.proposed)}`),
  ...updated.map((entry) => `~ ${inOneLine(entry.name)}  ${changesOf(entry)}`),
  ...deleted.map((entry) => `- ${inOneLine(entry.name)}  ${definitionOf(entry.current)}`),
];

export const countsOf = ({ inserted, updated, deleted, unchanged }: Diff): string =>
  `${inserted.length} to create, ${updated.length} to change, ${deleted.length} to delete, ${unchanged.length} unchanged`;

type Fields = Readonly<Record<string, unknown>>;

function definitionOf(given: object | undefined): string {
  if (given === undefined) return "(too large to show)";
  const fields = given as Fields;
  const state = fields.is_enabled === false ? ", disabled" : "";
  return `${whenOf(fields)}: ${inOneLine(String(fields.task_name ?? ""))} on ${inOneLine(String(fields.engine ?? ""))}${state}`;
}

function whenOf(fields: Fields): string {
  const { kind = "", expression = "", timezone = "" } = fields;
  const definition = { kind: String(kind), expression: String(expression), timezone: String(timezone) };
  try {
    return describeCadence(definition);
  } catch {
    return inOneLine(`${definition.kind} ${definition.expression}`);
  }
}

const compared = [
  "kind",
  "expression",
  "timezone",
  "task_name",
  "engine",
  "queue",
  "priority",
  "args",
  "kwargs",
  "catch_up",
  "overlap_policy",
  "is_enabled",
  "late_start_seconds",
  "long_run_seconds",
  "source",
  "source_hash",
];
const longestValue = 80;

function changesOf({ proposed, current }: DiffEntry): string {
  if (proposed === undefined || current === undefined) return "(too large to show)";
  const [after, before] = [proposed as Fields, current as Fields];
  const changes = compared.flatMap((field) => {
    const [from, to] = [valueText(before[field]), valueText(after[field])];
    return after[field] === undefined || from === to ? [] : [`${field} ${from} -> ${to}`];
  });
  return changes.length === 0 ? "changed" : changes.join(", ");
}

function valueText(value: unknown): string {
  const text = inOneLine(JSON.stringify(value ?? null, sortedKeys));
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

/** Objects with equal members have equal texts. */
const sortedKeys = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.getPrototypeOf(value) !== null
    ? Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
    : value;
