import type { OptionValues, Terminal } from "../command-line/command.ts";
import type { jsonOption } from "../command-line/option-values.ts";

/** Characters that a terminal would interpret: control characters except line breaks and tabs, and bidirectional controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const unsafeCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes characters that a terminal would interpret, such as `\u001b`. The service's texts are untrusted. */
export const printable = (text: string): string => text.replace(unsafeCharacters, escaped);

/** The same on one line. */
export const inOneLine = (text: string): string => printable(text).replace(/[\t\n]+/g, " ");

/** One JSON document on one line. Escapes every character that a terminal would interpret, which changes no value. */
export const jsonText = (value: unknown): string => printable(JSON.stringify(value));

/** Prints one JSON document with --json, otherwise the text lines. */
export function printResult(
  terminal: Terminal,
  { json }: OptionValues<typeof jsonOption>,
  document: unknown,
  lines: readonly string[],
): void {
  for (const line of json === true ? [jsonText(document)] : lines) terminal.out(line);
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

type Columns<Row> = Readonly<Record<string, (row: Row) => string | number | null | undefined>>;

/** Prints one page of a list, and as text how to load more (or `rest`), or `none` when the page is empty. */
export function printPage<Item>(
  terminal: Terminal,
  given: OptionValues<typeof jsonOption>,
  page: Page<Item>,
  texts: { readonly columns: Columns<Item>; readonly none: string; readonly rest?: string | undefined },
): void {
  printResult(terminal, given, page, tableOf(page.items, texts.columns));
  const more = page.next_cursor === null ? undefined : `more results: add --cursor ${page.next_cursor}`;
  const rest = texts.rest ?? more ?? (page.items.length === 0 ? texts.none : undefined);
  if (given.json !== true && rest !== undefined) terminal.err(`svc: ${rest}`);
}

/** A table with column names and aligned columns. `-` marks missing values. Empty without rows. */
export function tableOf<Row>(rows: readonly Row[], columns: Columns<Row>): string[] {
  if (rows.length === 0) return [];
  const cells = [
    Object.keys(columns).map((name) => name.toUpperCase()),
    ...rows.map((row) => Object.values(columns).map((read) => inOneLine(String(read(row) ?? "")) || "-")),
  ];
  const widths = Object.keys(columns).map((_, index) => Math.max(...cells.map((line) => line[index]!.length)));
  return cells.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join("  ")
      .trimEnd(),
  );
}

/** `name  value` lines of one object. Leaves out empty values and indents further lines of a text. */
export function factsOf(facts: Readonly<Record<string, unknown>>): string[] {
  const shown = Object.entries(facts).flatMap(([name, value]) => {
    const text = value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
    return text === "" || text === "[]" || text === "{}" ? [] : [[name, printable(text)] as const];
  });
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, text]) => `${name.padEnd(width)}  ${text.replaceAll("\n", `\n${" ".repeat(width + 2)}`)}`);
}
