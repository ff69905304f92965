import { type RawBuilder, type SqlBool, sql } from "kysely";
import { foldedFor } from "../../../platform/database/dialects/expressions/text-matching.ts";
import type { JsonTest } from "../../../platform/database/values/json-content.ts";
import { everyTerm, namesHold } from "./condition-reads.ts";
import { jsonPlaces, jsonText, safeRun, textPlaces } from "./content.ts";
import type { ContentTerm } from "./query.ts";

/** Content terms as one condition on a row named `task`. It calls functions of the program, so it is never null. */
export const contentOnSqlite = (terms: readonly ContentTerm[]): RawBuilder<SqlBool> => everyTerm(terms, alternatives);

const column = (name: string) => sql.ref(`task.${name}`);

function alternatives(term: ContentTerm): RawBuilder<SqlBool>[] {
  if (term.kind === "json") {
    const asked = JSON.stringify({ path: term.path, tests: term.tests });
    return jsonPlaces[term.field].map((name) => {
      const text = column(name);
      return sql`(CASE WHEN ${mayFit(text, term.tests)} THEN json_fits(${text}, ${asked}) ELSE 0 END)`;
    });
  }
  const { names, plain, json } = textPlaces[term.field];
  return term.needles.flatMap((needle) => [
    ...(names ? [sql<SqlBool>`(${namesHold(needle)} IS TRUE)`] : []),
    ...plain.map((name) => {
      const text = column(name);
      const folded = sql`CASE WHEN octet_length(${text}) = length(${text}) THEN lower(${text}) ELSE fold_case(${text}) END`;
      return sql<SqlBool>`coalesce(instr(${folded}, ${needle}) > 0, 0)`;
    }),
    ...json.map((name) => jsonHolds(column(name), needle)),
  ]);
}

function jsonHolds(json: RawBuilder<unknown>, needle: string): RawBuilder<SqlBool> {
  const run = safeRun(needle);
  const holds = sql`json_holds(${json}, ${needle})`;
  // An exponent can split the digits.
  const may = /^[0-9.-]*$/.test(run)
    ? sql`(instr(${json}, ${run}) > 0 OR ${json} GLOB '*[0-9][eE]*')`
    : sql`instr(${foldedFor(json, run)}, ${jsonText(run)}) > 0`;
  return sql`(CASE WHEN ${may} THEN ${holds} ELSE 0 END)`;
}

/** Whether the stored text contains what a fitting value would contain, which is far cheaper than testing the value. */
function mayFit(text: RawBuilder<unknown>, tests: readonly JsonTest[]): RawBuilder<unknown> {
  const traces = tests.map((test) => {
    if (test.kind !== "is" || test.text === "") return null;
    if (test.isText || /^[a-z]/.test(test.text)) return jsonText(test.text);
    // Larger numbers, and fractions, can be written in several ways.
    return /^[0-9]{1,15}$/.test(test.text) ? test.text : null;
  });
  const present = traces.filter((trace) => trace !== null);
  if (present.length < traces.length) return sql`${text} IS NOT NULL`;
  return sql`(${sql.join(
    present.map((trace) => sql`instr(${text}, ${trace}) > 0`),
    sql` OR `,
  )})`;
}
