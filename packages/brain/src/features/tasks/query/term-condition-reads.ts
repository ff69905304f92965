import type { NumberTest, TextTest } from "@svc/client/task-query";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { DialectName } from "../../../platform/database/database.ts";
import { foldedHolds } from "./folded-reads.ts";
import type { ColumnTerm, Span } from "./query.ts";

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

/** A term as a condition on a row called `task`; true or false, never null. */
export function termCondition(dialect: DialectName, term: ColumnTerm): RawBuilder<SqlBool> {
  const any = alternatives(dialect, term);
  const holds = sql<SqlBool>`((${sql.join(any, sql` OR `)}) IS TRUE)`;
  return term.isNegated ? sql<SqlBool>`(NOT ${holds})` : holds;
}

function alternatives(dialect: DialectName, term: ColumnTerm): RawBuilder<SqlBool>[] {
  switch (term.kind) {
    case "choice":
      return [sql`${sql.ref(columnOf[term.field])} IN (${sql.join(term.values)})`];
    case "label":
      return term.tests.map((test) => labelTest(dialect, sql.ref(columnOf[term.field]), test));
    case "number":
      return term.tests.map((test) => numberTest(sql.ref(columnOf[term.field]), test));
    case "words":
      return [foldedHolds(dialect, term.text)];
    case "received":
      return term.spans.map(spanTest);
  }
}

function labelTest(dialect: DialectName, column: RawBuilder<unknown>, test: TextTest): RawBuilder<SqlBool> {
  if (test.kind === "is") return sql`${column} = ${test.text}`;
  return dialect === "postgres"
    ? sql`${column} LIKE ${test.parts.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%")}`
    : sql`${column} GLOB ${test.parts.map((part) => part.replace(/[*?[]/g, "[$&]")).join("*")}`;
}

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

function spanTest({ from, to }: Span): RawBuilder<SqlBool> {
  const bounds = [
    ...(from === null ? [] : [sql<SqlBool>`task.received_at >= ${from}`]),
    ...(to === null ? [] : [sql<SqlBool>`task.received_at <= ${to}`]),
  ];
  return sql`(${sql.join(bounds, sql` AND `)})`;
}
