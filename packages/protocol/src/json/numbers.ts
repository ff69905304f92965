/**
 * Number lexemes of canonical JSON. A lexeme without `.`, `e` and `E` is an integer and keeps its digits. Any other one is a double.
 */
const integerLexeme = /^-?(?:0|[1-9][0-9]*)$/;

export function isIntegerLexeme(lexeme: string): boolean {
  return integerLexeme.test(lexeme);
}

/** The canonical form of a valid number lexeme, or null when it overflows to infinity. */
export function canonicalNumber(lexeme: string): string | null {
  if (isIntegerLexeme(lexeme)) return lexeme === "-0" ? "0" : lexeme;
  const value = Number(lexeme);
  return Number.isFinite(value) ? floatText(value) : null;
}

/** Canonical form of a finite double: shortest digits, a fraction in fixed notation, a sign and two digits in an exponent. */
export function floatText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e16) {
    const text = String(value);
    return text.includes(".") ? text : `${text}.0`;
  }
  const text = value.toExponential();
  const signAt = text.indexOf("e") + 1;
  return signAt + 2 === text.length ? `${text.slice(0, -1)}0${text.slice(-1)}` : text;
}

/**
 * Whether printing the double that a lexeme reads to would change the decimal number that was sent: false for `1.50` and `1e2`, true for
 * `9007199254740993`.
 */
export function losesDigits(lexeme: string): boolean {
  const value = Number(lexeme);
  if (!Number.isFinite(value)) return true;
  const sent = decimalOf(lexeme);
  const printed = decimalOf(String(value));
  return sent.digits !== printed.digits || (sent.digits !== "" && sent.exponent !== printed.exponent);
}

/** Significant digits without zeros at either end, and the decimal exponent of the last one. The sign never differs. */
function decimalOf(lexeme: string): { digits: string; exponent: number } {
  const parts = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(lexeme);
  if (parts === null) return { digits: lexeme, exponent: 0 };
  const [, whole = "", fraction = "", exponent = "0"] = parts;
  const all = whole + fraction;
  let start = 0;
  while (start < all.length && all.charCodeAt(start) === 48) start += 1;
  let end = all.length;
  while (end > start && all.charCodeAt(end - 1) === 48) end -= 1;
  return { digits: all.slice(start, end), exponent: Number(exponent) - fraction.length + (all.length - end) };
}
