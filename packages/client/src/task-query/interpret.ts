import { priorities, taskStates } from "../types/api.generated.ts";
import {
  type Condition,
  type FieldKind,
  isLiteralText,
  isNumberText,
  isQueryField,
  type JsonField,
  type JsonTest,
  type LabelField,
  type Moment,
  type NumberField,
  type NumberTest,
  type QueryFault,
  type QueryField,
  queryFields,
  queryLimits,
  type Term,
  type TextField,
  type TextTest,
} from "./language.ts";
import type { Piece, RawHead, RawTerm, RawValue } from "./scan.ts";
import { durationRule, momentRule, readDuration, readMoment } from "./times.ts";

/** The first fault of a term. Thrown and caught in this file only. */
class TermFault extends Error {
  readonly fault: QueryFault;
  constructor(place: { from: number; to: number }, type: string, message: string) {
    super(message);
    this.fault = { at: place.from, to: place.to, type, message };
  }
}

/** Interprets a scanned term, or returns its fault. */
export function interpretTerm(raw: RawTerm): Term | QueryFault {
  try {
    return { ...conditionOf(raw), isNegated: raw.isNegated };
  } catch (error) {
    if (error instanceof TermFault) return error.fault;
    throw error;
  }
}

export const isFault = (read: Term | QueryFault): read is QueryFault => "message" in read;

/** Common names of fields in other systems. */
const aliases: Readonly<Record<string, QueryField>> = {
  status: "state",
  task: "name",
  task_name: "name",
  task_id: "id",
  worker_name: "worker",
  exception: "error",
  traceback: "error",
  issue: "fingerprint",
  arg: "args",
  data: "args",
  kwarg: "kwargs",
  return: "result",
  duration: "runtime",
  tags: "tag",
  version: "release",
  retry_count: "retries",
  attempts: "retries",
  after: "since",
  before: "until",
};

/** The field with this lower-case name or alias. Null without one. */
export const fieldNamed = (name: string): QueryField | null =>
  isQueryField(name) ? name : Object.hasOwn(aliases, name) ? (aliases[name] ?? null) : null;

function conditionOf({ head, values, isNegated, from, to }: RawTerm): Condition {
  for (const value of values) checkCharacters(value);
  if (head === null) return { kind: "text", field: "words", texts: values.map(filledText) };
  const { name, path } = head;
  if (!isQueryField(name)) {
    const field = fieldNamed(name);
    const hint = field === null ? "Use args.name:value for a value in the arguments." : `Did you mean ${field}:?`;
    throw new TermFault(head, "unknown_field", `unknown field. ${hint} Quote the words to search for the text`);
  }
  const { kind } = queryFields[name] as { kind: FieldKind };
  if (path.length > 0 && kind !== "json") throw new TermFault(head, "no_path", `${name}: does not accept a path`);
  for (const value of values) {
    if (value.pieces.length === 0) throw new TermFault(filledPlace(value, head), "no_value", "missing value");
  }
  switch (kind) {
    case "choice":
      return name === "state"
        ? { kind, field: "state", values: values.map((value) => choiceOf(value, taskStates)) }
        : { kind, field: "priority", values: values.map((value) => choiceOf(value, priorities)) };
    case "label":
      return { kind, field: name as LabelField, tests: values.map(textTestOf) };
    case "hash":
      return { kind: "label", field: "fingerprint", tests: values.map(hashTestOf) };
    case "number":
      return {
        kind,
        field: name as NumberField,
        tests: values.map((value) => numberTestOf(value, readCount, countRule)),
      };
    case "duration":
      return {
        kind: "number",
        field: name as NumberField,
        tests: values.map((value) => numberTestOf(value, readDuration, durationRule)),
      };
    case "text":
      return { kind, field: name as TextField, texts: values.map((value) => filledText(withoutOrder(value))) };
    case "bound":
      if (isNegated)
        throw new TermFault(
          { from, to },
          "not_negatable",
          `${name}: cannot be negated. Use ${name === "since" ? "until" : "since"}:`,
        );
      return { kind, field: name as "since" | "until", moment: momentOf(values) };
    case "json":
      return path.length === 0
        ? {
            kind: "text",
            field: name as JsonField,
            texts: values.map((value) => filledText(withoutOrder(value, name))),
          }
        : jsonCondition(name as JsonField, head, values);
  }
}

/** Neither database can store these characters. */
function checkCharacters({ pieces, ...place }: RawValue): void {
  const text = textOf(pieces);
  if (text.includes("\0") || !text.isWellFormed())
    throw new TermFault(place, "unstorable", "no stored text contains this character");
}

const textOf = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (piece.kind === "literal" ? piece.text : piece.kind === "star" ? "*" : "..")).join("");

const filledPlace = (value: RawValue, head: RawHead) =>
  value.to > value.from ? value : { from: head.from, to: value.to };

function filledText(value: RawValue): string {
  const text = textOf(value.pieces);
  if (text === "") throw new TermFault(value, "no_value", "cannot search for an empty text");
  return text;
}

function withoutOrder(value: RawValue, json?: string): RawValue {
  if (value.order === null) return value;
  const advice = json === undefined ? "Quote the value to search for the text" : `Add a path, as in ${json}.total:>5`;
  throw new TermFault(value, "not_comparable", `this field cannot be compared. ${advice}`);
}

function choiceOf<Choice extends string>(value: RawValue, choices: readonly Choice[]): Choice {
  const text = textOf(withoutOrder(value).pieces).toLowerCase();
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new TermFault(value, "enum", `must be one of ${choices.join(", ")}`);
  return found;
}

function textTestOf(value: RawValue): TextTest {
  const { pieces } = withoutOrder(value);
  return pieces.some(({ kind }) => kind === "star")
    ? { kind: "like", parts: partsOf(value) }
    : { kind: "is", text: textOf(pieces) };
}

function hashTestOf(value: RawValue): TextTest {
  const text = textOf(withoutOrder(value).pieces).toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(text)) throw new TermFault(value, "fingerprint", "must be 32 hexadecimal digits");
  return { kind: "is", text };
}

/** The texts between the stars. Consecutive stars count as one. */
function partsOf({ pieces, ...place }: RawValue): string[] {
  const parts = [""];
  let isAfterStar = false;
  for (const piece of pieces) {
    if (piece.kind === "star") {
      if (!isAfterStar) parts.push("");
    } else parts[parts.length - 1] += textOf([piece]);
    isAfterStar = piece.kind === "star" || (isAfterStar && textOf([piece]) === "");
  }
  if (parts.length - 1 > queryLimits.stars)
    throw new TermFault(place, "too_many", `at most ${queryLimits.stars} stars per value`);
  return parts;
}

const countRule = "must be a whole number";
const readCount = (text: string): number | null => (/^[0-9]{1,15}$/.test(text) ? Number(text) : null);

/** The two sides of low..high. Null without dots, or if a side is empty. */
function sidesOf(pieces: readonly Piece[]): { low: readonly Piece[]; high: readonly Piece[] } | null {
  const at = pieces.findIndex(({ kind }) => kind === "dots");
  const [low, high] = [pieces.slice(0, Math.max(at, 0)), pieces.slice(at + 1)];
  return at < 0 || textOf(low) === "" || textOf(high) === "" ? null : { low, high };
}

function numberTestOf(value: RawValue, read: (text: string) => number | null, rule: string): NumberTest {
  const number = (pieces: readonly Piece[]): number => {
    const found = read(textOf(pieces));
    if (found === null) throw new TermFault(value, "number", rule);
    return found;
  };
  const { order, pieces } = value;
  const sides = sidesOf(pieces);
  if (order !== null) return { kind: "order", order, value: number(pieces) };
  if (sides === null) return { kind: "is", value: number(pieces) };
  const [low, high] = [number(sides.low), number(sides.high)];
  if (low > high) throw new TermFault(value, "range", "a range must start with the smaller value");
  return { kind: "range", low, high };
}

function momentOf(values: readonly RawValue[]): Moment {
  const [value, second] = values as [RawValue, RawValue?];
  if (second !== undefined) throw new TermFault(second, "too_many", "accepts only one time");
  const moment = readMoment(textOf(withoutOrder(value).pieces));
  if (moment === null) throw new TermFault(value, "instant", momentRule);
  return moment;
}

function jsonCondition(field: JsonField, head: RawHead, values: readonly RawValue[]): Condition {
  const { path } = head;
  if (path.length > queryLimits.pathSteps)
    throw new TermFault(head, "too_many", `at most ${queryLimits.pathSteps} path steps`);
  if (path.some((step) => typeof step === "string" && (step.includes("\0") || !step.isWellFormed())))
    throw new TermFault(head, "unstorable", "no stored text contains this character");
  return { kind: "json", field, path, tests: values.map(jsonTestOf) };
}

const isQuoted = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => piece.kind === "literal" && piece.isQuoted);

function jsonTestOf(value: RawValue): JsonTest {
  const { order, pieces } = value;
  const text = textOf(pieces);
  const isNumber = (of: readonly Piece[]) => !isQuoted(of) && isNumberText(textOf(of));
  if (order !== null) return { kind: "order", order, operand: text, isText: !isNumber(pieces) };
  const sides = sidesOf(pieces);
  if (sides !== null) {
    const { low, high } = sides;
    const isText = !isNumber(low) || !isNumber(high);
    return { kind: "range", low: textOf(low), high: textOf(high), isText };
  }
  if (pieces.some(({ kind }) => kind === "star")) {
    return text === "*" && pieces.length === 1 ? { kind: "present" } : { kind: "like", parts: partsOf(value) };
  }
  return { kind: "is", text, isText: isQuoted(pieces) || !isLiteralText(text) };
}
