/** One exported value: text and numbers as they are, instants, anything else as JSON. */
export type Cell = unknown;

/** The text of a cell: empty for null, ms ISO for instants, JSON for objects and arrays. */
function cellText(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/**
 * What spreadsheets may read as a formula: a sign, its full-width or small form, or a control character that ends a cell, after any white
 * space and invisible characters.
 */
const formulaStart =
  /^(?:(?![\t\r\n])[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800])*[=+\-@|%\uff1d\uff0b\uff0d\uff20\uff5c\uff05\ufe66\ufe62\ufe63\ufe6b\ufe6a\t\r\n]/u;
const numberForm = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** The text of a cell as a spreadsheet may open it: a leading apostrophe keeps it from being read as a formula. Numbers stay numbers. */
export function safeCellText(value: Cell): string {
  const text = cellText(value);
  return formulaStart.test(text) && !numberForm.test(text) ? `'${text}` : text;
}
