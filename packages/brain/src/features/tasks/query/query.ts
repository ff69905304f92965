import {
  type LabelField,
  type Moment,
  type NumberTest,
  parseTaskQuery,
  type QueryFault,
  type QueryField,
  type TaskQuery,
  type Term,
  type TextTest,
  waitingStates,
} from "@svc/client/task-query";
import type { JsonTest } from "../../../platform/database/values/json-content.ts";
import { invalid, type ValidationFault } from "../../../platform/http/error-codes.ts";
import type { TaskFilter } from "./filter.ts";

// What the text of parameter `q` (docs/reference/query-language.md) asks of tasks: conditions on columns, which the list's own search answers with its
// indexes, and tests on the large columns, for which rows must be read one by one.

/** Instants, both inclusive. */
export interface Span {
  readonly from: Date | null;
  readonly to: Date | null;
}

type ColumnCondition =
  | Extract<Term, { kind: "choice" }>
  | {
      readonly kind: "label";
      readonly field: Exclude<LabelField, "tag">;
      readonly tests: readonly TextTest[];
      /** Stored values that match, once resolved. */
      readonly values?: readonly string[];
    }
  | { readonly kind: "number"; readonly field: "runtime" | "wait" | "retries"; readonly tests: readonly NumberTest[] }
  /** Text in lower case. */
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "received"; readonly spans: readonly Span[] }
  /** Waits to start since a time in one of the spans. */
  | { readonly kind: "waiting"; readonly spans: readonly Span[] };

/** A condition on columns that every row holds inline. */
export type ColumnTerm = ColumnCondition & { readonly isNegated: boolean };

export type ContentTerm = (
  | {
      readonly kind: "text";
      readonly field: "any" | "error" | "args" | "kwargs" | "result";
      readonly needles: readonly string[];
    }
  | {
      readonly kind: "json";
      readonly field: "args" | "kwargs" | "result" | "tag";
      readonly path: readonly (string | number)[];
      readonly tests: readonly JsonTest[];
    }
) & { readonly isNegated: boolean };

/** The filter of the list with the conditions of a query. */
export interface ListFilter extends TaskFilter {
  /** Only tasks with an exception or a traceback. */
  readonly hasError?: true;
  readonly terms?: readonly ColumnTerm[];
}

export interface QueryPlan {
  readonly filter: ListFilter;
  /** All must hold as well. */
  readonly content: readonly ContentTerm[];
  /** Whether the query uses times relative to now. */
  readonly isRelative: boolean;
}

/**
 * The plan of the filter alone, or of filter and query together. Terms on values of the field `aside` are ignored.
 *
 * @throws ApiError `validation_error` with the position of each fault.
 */
export function planOf(filter: TaskFilter, q: string | undefined, now: Date, aside?: QueryField): QueryPlan {
  if (q === undefined || q.trim() === "") return { filter, content: [], isRelative: false };
  const counted = readQuery(q).filter(({ field, isNegated }) => isNegated || field !== aside);
  return planOfTerms(filter, counted, now);
}

const maxFaults = 10;

/** The terms of a query. @throws ApiError `validation_error` with the position of each fault. */
export function readQuery(q: string, loc: ValidationFault["loc"] = ["query", "q"]): TaskQuery {
  const { query, faults } = parseTaskQuery(q);
  if (faults.length === 0) return query;
  const faultOf = ({ type, message, at, to }: QueryFault) => ({ loc, type, message, at, to });
  throw invalid(faults.slice(0, maxFaults).map(faultOf));
}

export function planOfTerms(given: TaskFilter, query: TaskQuery, now: Date): QueryPlan {
  let filter: ListFilter = given;
  const terms: ColumnTerm[] = [];
  const content: ContentTerm[] = [];
  for (const term of query) {
    const part = partOf(term, filter, now);
    if (part.kind === "waiting" && !part.isNegated) {
      // An index holds the tasks of these states, and a task that has waited since a time was received by then.
      terms.push({ kind: "choice", field: "state", values: waitingStates, isNegated: false });
      filter = { ...filter, ...narrowed(filter, { from: null, to: latestOf(part.spans) }) };
    }
    if ("needles" in part || part.kind === "json") {
      content.push(part);
      // Few tasks fail, and an index holds those that did.
      if (part.kind === "text" && part.field === "error" && !part.isNegated) filter = { ...filter, hasError: true };
    } else if (part.kind === "filter") filter = { ...filter, ...part.filter };
    else terms.push(part);
  }
  if (terms.length > 0) filter = { ...filter, terms };
  return { filter, content, isRelative: query.some(isRelative) };
}

const isRelative = (term: Term): boolean =>
  (term.kind === "number" && (term.field === "age" || term.field === "waiting")) ||
  (term.kind === "bound" && term.moment.kind === "ago");

type Part = ColumnTerm | ContentTerm | { readonly kind: "filter"; readonly filter: ListFilter };

const filterPart = (filter: ListFilter): Part => ({ kind: "filter", filter });

/** Adds one term to the filter when a list parameter is equivalent, otherwise to the terms. */
function partOf(term: Term, filter: ListFilter, now: Date): Part {
  const { isNegated } = term;
  switch (term.kind) {
    case "bound":
      return filterPart(narrowed(filter, boundOf(term.field, term.moment, now)));
    case "choice": {
      const [only, second] = term.values;
      const isNew =
        term.field === "state" ? filter.state === undefined && second === undefined : filter.priorities === undefined;
      if (isNegated || !isNew || only === undefined) return term;
      return filterPart(
        term.field === "state" ? { state: term.values[0] as never } : { priorities: [...new Set(term.values)] },
      );
    }
    case "label":
      return labelPart(term, filter);
    case "number": {
      if (term.field === "waiting") {
        const spans = term.tests.map((test) => dueBy(spanOfAge(test, now), now));
        return { kind: "waiting", spans, isNegated };
      }
      if (term.field !== "age") return { kind: "number", field: term.field, tests: term.tests, isNegated };
      const spans = term.tests.map((test) => spanOfAge(test, now));
      const [only, second] = spans;
      if (isNegated || only === undefined || second !== undefined) return { kind: "received", spans, isNegated };
      return filterPart(narrowed(filter, only));
    }
    case "json":
      return { kind: "json", field: term.field, path: term.path, tests: term.tests, isNegated };
    case "text": {
      const needles = term.texts.map((text) => text.toLowerCase());
      const { field } = term;
      if (field !== "words") return { kind: "text", field, needles, isNegated };
      const text = needles[0] ?? "";
      return isNegated || filter.search !== undefined
        ? { kind: "words", text, isNegated }
        : filterPart({ search: text });
    }
  }
}

function labelPart(term: Extract<Term, { kind: "label" }>, filter: ListFilter): Part {
  const { field, tests, isNegated } = term;
  if (field === "tag") return { kind: "json", field, path: [], tests: tests.map(tagTest), isNegated };
  const texts = tests.map((test) => (test.kind === "is" ? test.text : null));
  const [only] = texts;
  if (!isNegated && texts.length === 1 && only != null && only !== "") {
    if (field === "queue" && filter.queue === undefined) return filterPart({ queue: only });
    if (field === "worker" && filter.worker === undefined) return filterPart({ worker: only });
  }
  const values = texts.filter((text) => text !== null);
  return {
    kind: "label",
    field,
    tests,
    isNegated,
    ...(values.length === texts.length && { values: [...new Set(values)] }),
  };
}

const tagTest = (test: TextTest): JsonTest => (test.kind === "is" ? { ...test, isText: true } : test);

function boundOf(field: "since" | "until", moment: Moment, now: Date): Span {
  const at = moment.kind === "at" ? new Date(moment.epochMs) : earlier(now, moment.agoMs);
  return field === "since" ? { from: at, to: null } : { from: null, to: at };
}

const earlier = (now: Date, byMs: number): Date => new Date(now.getTime() - byMs);

/** The received time of a task of such an age. Instants are whole milliseconds, so an exclusive end is the next one. */
function spanOfAge(test: NumberTest, now: Date): Span {
  switch (test.kind) {
    case "is":
      return { from: earlier(now, test.value), to: earlier(now, test.value) };
    case "range":
      return { from: earlier(now, test.high), to: earlier(now, test.low) };
    case "order":
      switch (test.order) {
        case "<":
          return { from: earlier(now, test.value - 1), to: null };
        case "<=":
          return { from: earlier(now, test.value), to: null };
        case ">":
          return { from: null, to: earlier(now, test.value + 1) };
        case ">=":
          return { from: null, to: earlier(now, test.value) };
      }
  }
}

/** The span without its future part: a task that is not due yet does not wait. */
const dueBy = ({ from, to }: Span, now: Date) => ({ from, to: to === null || to > now ? now : to });

const latestOf = (spans: readonly Span[]): Date | null =>
  spans.reduce<Date | null>((latest, { to }) => (latest === null || (to !== null && to > latest) ? to : latest), null);

function narrowed({ since, until }: ListFilter, { from, to }: Span): ListFilter {
  return {
    ...(from !== null && { since: since === undefined || since < from ? from : since }),
    ...(to !== null && { until: until === undefined || until > to ? to : until }),
  };
}
