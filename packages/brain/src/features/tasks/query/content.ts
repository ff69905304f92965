import { jsonFits, jsonHolds } from "../../../platform/database/values/json-content.ts";
import type { TaskRow } from "../../../schema/tables/index.ts";
import type { ContentTerm } from "./query.ts";

/** Columns that content terms search. */
export const contentColumns = [
  "name",
  "queue",
  "worker_name",
  "task_id",
  "exception",
  "traceback",
  "args",
  "kwargs",
  "result",
  "tags",
] as const satisfies readonly (keyof TaskRow)[];

type ContentRow = Pick<TaskRow, (typeof contentColumns)[number]>;

/** Columns that each field searches. `args` means all arguments: an engine decides which of them it names. */
export const textPlaces = {
  any: { names: true, plain: ["exception", "traceback"], json: ["args", "kwargs", "result", "tags"] },
  error: { names: false, plain: ["exception", "traceback"], json: [] },
  args: { names: false, plain: [], json: ["args", "kwargs"] },
  kwargs: { names: false, plain: [], json: ["kwargs"] },
  result: { names: false, plain: [], json: ["result"] },
} as const;

export const jsonPlaces = { args: ["args", "kwargs"], kwargs: ["kwargs"], result: ["result"], tag: ["tags"] } as const;

/** Whether a task matches every term; the statements of content-postgres-reads and content-sqlite-reads are equivalent as far as possible. */
export const holdsContent = (row: ContentRow, terms: readonly ContentTerm[]): boolean =>
  terms.every((term) => holdsTerm(row, term) !== term.isNegated);

function holdsTerm(row: ContentRow, term: ContentTerm): boolean {
  if (term.kind === "json") {
    return jsonPlaces[term.field].some((column) => {
      const text = row[column];
      return text !== null && jsonFits(text, term);
    });
  }
  const { names, plain, json } = textPlaces[term.field];
  const texts = [
    ...(names ? [row.name, row.queue, row.worker_name, row.task_id] : []),
    ...plain.map((column) => row[column]),
  ].map((text) => text?.toLowerCase() ?? "");
  return term.needles.some(
    (needle) =>
      texts.some((text) => text.includes(needle)) ||
      json.some((column) => {
        const text = row[column];
        return text !== null && jsonHolds(text, needle);
      }),
  );
}

/**
 * Whether lower case keeps a character and maps no other one to it, except for ASCII, U+212A and U+0130, which a statement can fold itself.
 * Characters of other alphabets are not safe, unless they have no case.
 */
export const isSafe = (character: string): boolean =>
  character <= "\u007f" ||
  (character !== "\u0307" && character.toLowerCase() === character && character.toUpperCase() === character);

/** The longest part of a lower-case needle that a database with ASCII case folding can find; empty when there is none. */
export function safeRun(needle: string): string {
  let longest = "";
  let run = "";
  for (const character of needle) {
    run = isSafe(character) ? run + character : "";
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

/** A text as it is written between the quotes of a JSON string. */
export const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1);
