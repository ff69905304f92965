import { type RawBuilder, type SqlBool, sql } from "kysely";
import { foldedFor } from "../../../platform/database/dialects/expressions/text-matching.ts";
import type { JsonTest } from "../../../platform/database/values/json-content.ts";
import { everyTerm, namesHold } from "./condition-reads.ts";
import { jsonPlaces, jsonText, safeRun, textPlaces } from "./content.ts";
import type { ContentTerm } from "./query.ts";

/**
 * Content terms as one condition on a row named `task`. It is null where the database cannot decide: lower() there folds only ASCII, and its
 * JSON text contains member names.
 */
export const contentOnPostgres = (terms: readonly ContentTerm[]): RawBuilder<SqlBool> => everyTerm(terms, alternatives);

const column = (name: string) => sql.ref(`task.${name}`);

function alternatives(term: ContentTerm): RawBuilder<SqlBool>[] {
  if (term.kind === "json") {
    const { path, variables } = jsonPath(term);
    return jsonPlaces[term.field].map(
      (name) => sql`coalesce(jsonb_path_exists(${column(name)}, ${path}::jsonpath, ${variables}::jsonb, true), false)`,
    );
  }
  const { names, plain, json } = textPlaces[term.field];
  return term.needles.flatMap((needle) => [
    ...(names ? [sql<SqlBool>`(${namesHold(needle)} IS TRUE)`] : []),
    ...plain.map((name) => plainHolds(column(name), needle)),
    ...json.map((name) => jsonMayHold(column(name), needle)),
  ]);
}

function plainHolds(text: RawBuilder<unknown>, needle: string): RawBuilder<SqlBool> {
  const run = safeRun(needle);
  const may = run === "" ? sql`true` : sql`strpos(${foldedFor(text, run)}, ${run}) > 0`;
  return sql`CASE WHEN ${text} IS NULL THEN false WHEN octet_length(${text}) = length(${text})
    THEN strpos(lower(${text}), ${needle}) > 0 WHEN ${may} THEN NULL ELSE false END`;
}

function jsonMayHold(json: RawBuilder<unknown>, needle: string): RawBuilder<SqlBool> {
  const run = safeRun(needle);
  const text = sql`(${json}::text COLLATE "C")`;
  const may = run === "" ? sql`${json} IS NOT NULL` : sql`strpos(${foldedFor(text, run)}, ${jsonText(run)}) > 0`;
  return sql`CASE WHEN ${may} THEN NULL ELSE false END`;
}

/** A jsonpath and the values of its variables. Names and patterns must be literals in it; JSON strings are valid jsonpath strings. */
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
