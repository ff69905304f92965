import { type NumberTest, type TextTest, waitingStates } from "@svc/client/task-query";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { hasParts, holdsFolded, holdsText } from "../../../platform/database/dialects/expressions/text-matching.ts";
import type { ColumnTerm, ListFilter, Span } from "./query.ts";

/**
 * A filter without its time bounds as a condition on a row named `task`; equivalent to `matchesFilter` in JavaScript. It is null where it
 * compares an absent queue or worker.
 */
export function matchCondition(filter: ListFilter): RawBuilder<SqlBool> {
  const all: RawBuilder<SqlBool>[] = [];
  if (filter.state !== undefined) all.push(sql`task.state = ${filter.state}`);
  if (filter.priorities !== undefined) all.push(sql`task.priority IN (${sql.join(filter.priorities)})`);
  if (filter.queue !== undefined) all.push(sql`task.queue = ${filter.queue}`);
  if (filter.worker !== undefined) all.push(sql`task.worker_name = ${filter.worker}`);
  if (filter.name !== undefined) all.push(holdsText(sql`task.name`, filter.name));
  if (filter.search !== undefined) all.push(namesHold(filter.search));
  if (filter.hasError === true) all.push(sql`(task.exception IS NOT NULL OR task.traceback IS NOT NULL)`);
  if (filter.terms !== undefined) all.push(everyTerm(filter.terms, (term) => [termHolds(term)]));
  return all.length === 0 ? sql`${sql.lit(1)} = 1` : sql`${sql.join(all, sql` AND `)}`;
}

const namedColumns = ["task.name", "task.queue", "task.worker_name", "task.task_id"] as const;

/** Whether name, queue, worker or task id contains `needle`, which is in lower case; case is ignored. */
export function namesHold(needle: string): RawBuilder<SqlBool> {
  // One text for all four, unless the needle could span the line break between two of them.
  const texts = needle.includes("\n")
    ? namedColumns.map((column) => sql`coalesce(${sql.ref(column)}, '')`)
    : [
        sql`(task.name || ${sql.lit("\n")} || coalesce(task.queue, '') || ${sql.lit("\n")} || coalesce(task.worker_name, '') || ${sql.lit("\n")} || task.task_id)`,
      ];
  const isStoredWith = sql`coalesce((SELECT ${holdsText(sql`task_search.search_text`, needle)} FROM task_search WHERE task_search.id = task.id), false)`;
  const any = texts.map((text) => holdsFolded(text, needle, isStoredWith));
  return sql`(${sql.join(any, sql` OR `)})`;
}

/** Whether every term holds: one of its alternatives does, or none when it is negated. */
export const everyTerm = <Term extends { readonly isNegated: boolean }>(
  terms: readonly Term[],
  alternativesOf: (term: Term) => RawBuilder<SqlBool>[],
): RawBuilder<SqlBool> =>
  sql`${sql.join(
    terms.map((term) => {
      const any = sql`(${sql.join(alternativesOf(term), sql` OR `)})`;
      return term.isNegated ? sql`(NOT ${any})` : any;
    }),
    sql` AND `,
  )}`;

/** True or false, never null. */
const termHolds = (term: ColumnTerm): RawBuilder<SqlBool> =>
  sql`((${sql.join(alternatives(term), sql` OR `)}) IS TRUE)`;

const columnOf = {
  name: "task.name",
  queue: "task.queue",
  worker: "task.worker_name",
  engine: "task.engine",
  id: "task.task_id",
  release: "task.release",
  fingerprint: "task.fingerprint",
  state: "task.state",
  priority: "task.priority",
  runtime: "task.runtime_ms",
  wait: "task.wait_ms",
  retries: "task.retry_count",
} as const;

function alternatives(term: ColumnTerm): RawBuilder<SqlBool>[] {
  switch (term.kind) {
    case "choice":
      return [sql`${sql.ref(columnOf[term.field])} IN (${sql.join(term.values)})`];
    case "label":
      return term.tests.map((test) => labelTest(sql.ref(columnOf[term.field]), test));
    case "number":
      return term.tests.map((test) => numberTest(sql.ref(columnOf[term.field]), test));
    case "words":
      return [namesHold(term.text)];
    case "received":
      return term.spans.map((span) => spanTest(sql`task.received_at`, span));
    case "waiting":
      return term.spans.map(
        (span) => sql`(task.state IN (${sql.join(waitingStates)}) AND ${spanTest(waitingSince, span)})`,
      );
  }
}

const labelTest = (column: RawBuilder<unknown>, test: TextTest): RawBuilder<SqlBool> =>
  test.kind === "is" ? sql`${column} = ${test.text}` : hasParts(column, test.parts);

function numberTest(column: RawBuilder<unknown>, test: NumberTest): RawBuilder<SqlBool> {
  switch (test.kind) {
    case "is":
      return sql`${column} = ${test.value}`;
    case "range":
      return sql`(${column} >= ${test.low} AND ${column} <= ${test.high})`;
    case "order":
      return sql`${column} ${operators[test.order]} ${test.value}`;
  }
}

const operators = { "<": sql`<`, "<=": sql`<=`, ">": sql`>`, ">=": sql`>=` } as const;

function spanTest(instant: RawBuilder<unknown>, { from, to }: Span): RawBuilder<SqlBool> {
  const bounds = [
    ...(from === null ? [] : [sql<SqlBool>`${instant} >= ${from}`]),
    ...(to === null ? [] : [sql<SqlBool>`${instant} <= ${to}`]),
  ];
  return sql`(${sql.join(bounds, sql` AND `)})`;
}

/** In a later attempt, the task's last event is the one that made it wait again. */
const queuedAt = sql`(CASE WHEN task.attempt = 0 AND task.state <> 'retry' THEN task.received_at ELSE task.last_event_at END)`;

/** Since when a waiting task could have started. A task is due at its eta. */
const waitingSince = sql`(CASE WHEN task.eta > ${queuedAt} THEN task.eta ELSE ${queuedAt} END)`;
