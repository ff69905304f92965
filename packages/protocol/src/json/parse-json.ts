import { losesDigits } from "./numbers.ts";
import { rawJson } from "./raw.ts";
import { detached, readJson } from "./read-json.ts";

const longRun = 16;
/** Characters that may precede the digits of a number, its fraction or its exponent. */
const numberPrefix = /[\s:,[\-+.eE]/;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/**
 * Whether the text contains a run of 16 or more digits that may belong to a number. Shorter numbers always fit a double. Probes every
 * 16th character only, because no such run fits between two probes.
 */
export function holdsLongNumber(text: string): boolean {
  for (let probe = longRun - 1; probe < text.length; probe += longRun) {
    if (!isDigit(text.charCodeAt(probe))) continue;
    let start = probe;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start -= 1;
    let end = probe + 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
    // After a quote or a letter the digits belong to an identifier, which is far more common than a long number.
    if (end - start >= longRun && (start === 0 || numberPrefix.test(text.charAt(start - 1)))) return true;
    probe = end - 1 - ((end - 1 - (longRun - 1)) % longRun);
  }
  return false;
}

function exactNumber(lexeme: string): unknown {
  return losesDigits(lexeme) ? rawJson(detached(lexeme)) : Number(lexeme);
}

/**
 * Parses JSON text. In a text with a run of 16 or more digits, each number that a double cannot represent exactly becomes
 * `JSON.rawJSON(lexeme)`. Any nesting depth is safe.
 *
 * @throws SyntaxError or JsonSyntaxError when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  return holdsLongNumber(text) ? readJson(text, exactNumber) : JSON.parse(text);
}
