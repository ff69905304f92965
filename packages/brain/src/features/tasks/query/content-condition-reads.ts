import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { DialectName } from "../../../platform/database/database.ts";
import type { JsonTest } from "../../../platform/database/json-content.ts";
import { jsonPlaces, textPlaces } from "./content.ts";
import { foldedHolds } from "./folded-reads.ts";
import type { ContentTerm } from "./query.ts";
import { safeRun } from "./safe-run.ts";

/**
 * Content terms as one condition on a row called `task`. On the server database it is null where only the program can tell: its own
 * lower() knows ASCII alone, and its JSON text has member names in it. On SQLite the program's functions are part of the statement.
 */
export const contentCondition = (dialect: DialectName, terms: readonly ContentTerm[]): RawBuilder<SqlBool> =>
  sql`${sql.join(
    terms.map((term) => {
      const any = sql`(${sql.join(dialect === "sqlite" ? onSqlite(term) : onPostgres(term), sql` OR `)})`;
      return term.isNegated ? sql`(NOT ${any})` : any;
    }),
    sql` AND `,
  )}`;

const column = (name: string) => sql.ref(`task.${name}`);

/**
 * The text in lower case as far as the part of a needle asks for it: ASCII letters by the database, and the two others whose lower case is
 * an ASCII letter, or begins with one, by hand.
 */
function loose(text: RawBuilder<unknown>, run: string): RawBuilder<unknown> {
  const lower = run === run.toUpperCase() ? text : sql`lower(${text})`;
  const kelvin = run.includes("k") ? sql`replace(${lower}, ${"\u212a"}, 'k')` : lower;
  return run.includes("i") ? sql`replace(${kelvin}, ${"\u0130"}, ${"i\u0307"})` : kelvin;
}

/** The needle as JSON text writes it. */
const written = (needle: string): string => JSON.stringify(needle).slice(1, -1);

// PostgreSQL

function onPostgres(term: ContentTerm): RawBuilder<SqlBool>[] {
  if (term.kind === "json") {
    const { path, variables } = jsonPath(term);
    return jsonPlaces[term.field].map(
      (name) => sql`coalesce(jsonb_path_exists(${column(name)}, ${path}::jsonpath, ${variables}::jsonb, true), false)`,
    );
  }
  const { names, plain, json } = textPlaces[term.field];
  return term.needles.flatMap((needle) => [
    ...(names ? [sql<SqlBool>`(${foldedHolds("postgres", needle)} IS TRUE)`] : []),
    ...plain.map((name) => plainHolds(column(name), needle)),
    ...json.map((name) => jsonMayHold(column(name), needle)),
  ]);
}

function plainHolds(text: RawBuilder<unknown>, needle: string): RawBuilder<SqlBool> {
  const run = safeRun(needle);
  const may = run === "" ? sql`true` : sql`strpos(${loose(text, run)}, ${run}) > 0`;
  return sql`CASE WHEN ${text} IS NULL THEN false WHEN octet_length(${text}) = length(${text})
    THEN strpos(lower(${text}), ${needle}) > 0 WHEN ${may} THEN NULL ELSE false END`;
}

function jsonMayHold(json: RawBuilder<unknown>, needle: string): RawBuilder<SqlBool> {
  const run = safeRun(needle);
  const text = sql`(${json}::text COLLATE "C")`;
  const may = run === "" ? sql`${json} IS NOT NULL` : sql`strpos(${loose(text, run)}, ${written(run)}) > 0`;
  return sql`CASE WHEN ${may} THEN NULL ELSE false END`;
}

/** A jsonpath and the values of its variables. Names and patterns have to stand in it; JSON strings are strings of jsonpath as well. */
function jsonPath({ path, tests }: Extract<ContentTerm, { kind: "json" }>): { path: string; variables: string } {
  const variables: string[] = [];
  const variable = (json: string): string => {
    variables.push(`"v${variables.length}":${json}`);
    return `$v${variables.length - 1}`;
  };
  const isText = '@.type() == "string"';
  const isNumber = '@.type() == "number"';
  const compare = (operator: string, operand: string, asText: boolean) =>
    asText
      ? `${isText} && @ ${operator} ${variable(JSON.stringify(operand))}`
      : `${isNumber} && @ ${operator} ${variable(operand)}`;

  function predicate(test: Exclude<JsonTest, { kind: "present" }>): string {
    switch (test.kind) {
      case "is": {
        const text = `(${compare("==", test.text, true)})`;
        if (test.isText) return text;
        const type = { true: "boolean", false: "boolean", null: "null" }[test.text] ?? null;
        return type === null
          ? `${text} || (${compare("==", test.text, false)})`
          : `${text} || (@.type() == "${type}" && @ == ${test.text})`;
      }
      case "like":
        return `(${isText} && @ like_regex ${JSON.stringify(`^${test.parts.map(escapePattern).join(".*")}$`)} flag "s")`;
      case "order":
        return `(${compare(test.order, test.operand, test.isText)})`;
      case "range":
        return `(${compare(">=", test.low, test.isText)} && ${compare("<=", test.high, test.isText)})`;
    }
  }

  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${JSON.stringify(step)}`)).join("");
  const asked = tests.filter((test) => test.kind !== "present");
  const filter = asked.length < tests.length ? "" : ` ? (${asked.map(predicate).join(" || ")})`;
  return { path: `$${steps}${filter}`, variables: `{${variables.join(",")}}` };
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

// SQLite

function onSqlite(term: ContentTerm): RawBuilder<SqlBool>[] {
  if (term.kind === "json") {
    const asked = JSON.stringify({ path: term.path, tests: term.tests });
    return jsonPlaces[term.field].map((name) => {
      const text = column(name);
      return sql`(CASE WHEN ${mayFit(text, term.tests)} THEN json_fits(${text}, ${asked}) ELSE 0 END)`;
    });
  }
  const { names, plain, json } = textPlaces[term.field];
  return term.needles.flatMap((needle) => [
    ...(names ? [sql<SqlBool>`(${foldedHolds("sqlite", needle)} IS TRUE)`] : []),
    ...plain.map((name) => {
      const text = column(name);
      const folded = sql`CASE WHEN octet_length(${text}) = length(${text}) THEN lower(${text}) ELSE fold_case(${text}) END`;
      return sql<SqlBool>`coalesce(instr(${folded}, ${needle}) > 0, 0)`;
    }),
    ...json.map((name) => jsonHoldsOnSqlite(column(name), needle)),
  ]);
}

function jsonHoldsOnSqlite(json: RawBuilder<unknown>, needle: string): RawBuilder<SqlBool> {
  const run = safeRun(needle);
  const holds = sql`json_holds(${json}, ${needle})`;
  // Digits may be spread over an exponent.
  const may = /^[0-9.-]*$/.test(run)
    ? sql`(instr(${json}, ${run}) > 0 OR ${json} GLOB '*[0-9][eE]*')`
    : sql`instr(${loose(json, run)}, ${written(run)}) > 0`;
  return sql`(CASE WHEN ${may} THEN ${holds} ELSE 0 END)`;
}

/** Whether the stored text has what a fitting value would bring into it, which is far cheaper to see than whether the value fits. */
function mayFit(text: RawBuilder<unknown>, tests: readonly JsonTest[]): RawBuilder<unknown> {
  const traces = tests.map((test) => {
    if (test.kind !== "is" || test.text === "") return null;
    if (test.isText || /^[a-z]/.test(test.text)) return written(test.text);
    // Greater numbers, and fractions, are written in several ways.
    return /^[0-9]{1,15}$/.test(test.text) ? test.text : null;
  });
  const present = traces.filter((trace) => trace !== null);
  if (present.length < traces.length) return sql`${text} IS NOT NULL`;
  return sql`(${sql.join(
    present.map((trace) => sql`instr(${text}, ${trace}) > 0`),
    sql` OR `,
  )})`;
}
