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

/** A query as text, which parses to the same terms. */
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

/** A text in quotes. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** Quotes a word that would parse as a field, a negation or a quote. */
const printWord = (text: string): string => (/^[^\s":\\-][^\s":\\]*$/.test(text) ? text : quoted(text));

/** A field value, quoted if it contains special characters. */
export const printText = (text: string): string =>
  // After the colon of the field, `:` or `//` would turn the whole term into a word (`App::Mail`, `https://…`).
  /^(?!:|\/\/)[^\s"\\*,<>=][^\s"\\*,]*$/.test(text) && !text.includes("..") ? text : quoted(text);

/** A path after its field: `.user.id`. */
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
      // A single star means any value, so an empty text distinguishes this pattern.
      return test.parts.every((part) => part === "") ? '""*' : printParts(test.parts);
    case "order":
      return `${test.order}${print(test.operand, test.isText)}`;
    case "range":
      // A dot before the two dots would parse as one of them.
      return `${test.low.endsWith(".") ? quoted(test.low) : print(test.low, test.isText)}..${print(test.high, test.isText)}`;
  }
}
