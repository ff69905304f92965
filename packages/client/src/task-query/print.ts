import {
  isLiteralText,
  type JsonTest,
  type NumberTest,
  type PathStep,
  type TaskQuery,
  type Term,
  type TextTest,
} from "./language.ts";
import { printDuration, printMoment } from "./times.ts";

/** The text of a query that reads back to the same terms. */
export const printTaskQuery = (query: TaskQuery): string => query.map(printTerm).join(" ");

export function printTerm(term: Term): string {
  const sign = term.isNegated ? "-" : "";
  if (term.kind === "text" && term.field === "words") return `${sign}${term.texts.map(printWord).join("")}`;
  const path = term.kind === "json" ? printPath(term.path) : "";
  return `${sign}${term.field}${path}:${valuesOf(term).join(",")}`;
}

function valuesOf(term: Term): readonly string[] {
  switch (term.kind) {
    case "text":
      return term.texts.map((text) => printText(text));
    case "choice":
      return term.values;
    case "label":
      return term.tests.map(printTextTest);
    case "number":
      return term.tests.map((test) => printNumberTest(test, term.field === "retries" ? String : printDuration));
    case "json":
      return term.tests.map(printJsonTest);
    case "bound":
      return [printMoment(term.moment)];
  }
}

/** A text in the quotation marks of the query language. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** A word that no reader takes for a field, a negation or a quotation stays as it is. */
const printWord = (text: string): string => (/^[^\s":\\-][^\s":\\]*$/.test(text) ? text : quoted(text));

/** A text as the value of a field, quoted where a character of it would mean something. */
export const printText = (text: string): string =>
  // Behind the colon of the field, `:` and `//` would make a plain word of all of it (`App::Mail`, `https://…`).
  /^(?!:|\/\/)[^\s"\\*,<>=][^\s"\\*,]*$/.test(text) && !text.includes("..") ? text : quoted(text);

/** A path behind its field: `.user.id`. */
export const printPath = (path: readonly PathStep[]): string => path.map(printStep).join("");

const printStep = (step: PathStep): string => {
  if (typeof step === "number") return `[${step}]`;
  return /^[^\s.:,"\\[\]]+$/.test(step) && !/^[0-9]+$/.test(step) ? `.${step}` : `.${quoted(step)}`;
};

const printParts = (parts: readonly string[]): string =>
  parts.map((part) => (part === "" ? "" : printText(part))).join("*");

const printTextTest = (test: TextTest): string => (test.kind === "is" ? printText(test.text) : printParts(test.parts));

function printNumberTest(test: NumberTest, print: (value: number) => string): string {
  switch (test.kind) {
    case "is":
      return print(test.value);
    case "order":
      return `${test.order}${print(test.value)}`;
    case "range":
      return `${print(test.low)}..${print(test.high)}`;
  }
}

function printJsonTest(test: JsonTest): string {
  const print = (text: string, isText: boolean) => (isText && isLiteralText(text) ? quoted(text) : printText(text));
  switch (test.kind) {
    case "present":
      return "*";
    case "is":
      return print(test.text, test.isText);
    case "like":
      // A lone star asks for anything at all, so this one is told apart by an empty text beside it.
      return test.parts.every((part) => part === "") ? '""*' : printParts(test.parts);
    case "order":
      return `${test.order}${print(test.operand, test.isText)}`;
    case "range":
      // A dot before the two dots would be taken for one of them.
      return `${test.low.endsWith(".") ? quoted(test.low) : print(test.low, test.isText)}..${print(test.high, test.isText)}`;
  }
}
