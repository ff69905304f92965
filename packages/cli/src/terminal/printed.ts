import type { OptionValues, Terminal } from "../command-line/command.ts";
import type { jsonOption } from "../command-line/option-values.ts";

/** What a terminal would obey instead of showing it: control letters but for line ends and tabs, and what turns the direction of a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text of the service as a terminal may be given it: what it would obey reads `\u001b`. Texts are other people's. */
export const printable = (text: string): string => text.replace(obeyed, escaped);

/** The same, in one line. */
export const inOneLine = (text: string): string => printable(text).replace(/[\t\n]+/g, " ");

/** One JSON document in one line. Every letter that a terminal would obey is escaped, which changes no value. */
export const jsonText = (value: unknown): string => printable(JSON.stringify(value));

/** Prints one JSON document when that was asked for, else the lines for people. */
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

/** Prints one page of a list, and for people the `rest`: how to go on unless given, or `none` when nothing was found. */
export function printPage<Item>(
  terminal: Terminal,
  given: OptionValues<typeof jsonOption>,
  page: Page<Item>,
  words: { readonly columns: Columns<Item>; readonly none: string; readonly rest?: string | undefined },
): void {
  printResult(terminal, given, page, tableOf(page.items, words.columns));
  const more = page.next_cursor === null ? undefined : `there are more: --cursor ${page.next_cursor}`;
  const rest = words.rest ?? more ?? (page.items.length === 0 ? words.none : undefined);
  if (given.json !== true && rest !== undefined) terminal.err(`svc: ${rest}`);
}

/** Columns as wide as their widest cell, under their names; `-` for what is not there. Nothing at all for no rows. */
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

/** `name  value` lines of one thing; what is null, absent or empty is left out, and further lines of a text are moved in. */
export function factsOf(facts: Readonly<Record<string, unknown>>): string[] {
  const shown = Object.entries(facts).flatMap(([name, value]) => {
    const text = value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
    return text === "" || text === "[]" || text === "{}" ? [] : [[name, printable(text)] as const];
  });
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, text]) => `${name.padEnd(width)}  ${text.replaceAll("\n", `\n${" ".repeat(width + 2)}`)}`);
}

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
