/** One exported value: text and numbers as they are, instants, anything else as JSON. */
export type Cell = unknown;

/** The text of a cell: empty for null, ms ISO for instants, JSON for objects and arrays. */
export function cellText(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

const formulaStart = /^[=+\-@\t\r]/;

/** A leading apostrophe keeps spreadsheets from reading text as a formula. */
export const withoutFormula = (text: string): string => (formulaStart.test(text) ? `'${text}` : text);
