import { canonicalNumber, isIntegerLexeme } from "./numbers.ts";
import { readJson } from "./read-json.ts";

// Finds JSON texts with numbers that need special handling. Both checks start with one pass over the text, because nearly no text has any.

/**
 * A float or a negative zero where a value may start. A colon after a digit is usually part of a time and is skipped. May also match
 * inside a string.
 */
const floatForm =
  /[:,[](?<![0-9]:)[ \t\r\n]*(-0(?![0-9.eE])|-?[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+))/g;

const oddForm = /[:,[](?<![0-9]:)[ \t\r\n]*(?:-0|-?(?:[0-9]+[.eE]|[0-9]{16}))/;

/** False when all numbers of a JSON list or object are canonical integers within double precision, as in nearly every text. One pass. */
export function mayHoldOddNumber(text: string): boolean {
  return oddForm.test(text);
}

/** Whether every number of a JSON text is in canonical form. */
export function areNumbersCanonical(text: string): boolean {
  floatForm.lastIndex = 0;
  for (let found = floatForm.exec(text); found !== null; found = floatForm.exec(text)) {
    const lexeme = found[1] as string;
    if (canonicalNumber(lexeme) !== lexeme) return !holdsNumber(text, (number) => canonicalNumber(number) !== number);
  }
  return true;
}

/** Precondition of a number that overflows a double: a three-digit exponent, or very many digits. */
const hugeForm = /[eE]\+?[0-9]{3}|(?<![0-9])[0-9]{200}/;

/** Whether a JSON text contains a number that overflows to infinity. Integers count only when their digits are not kept. */
export function holdsOverflow(text: string, { keepsIntegers }: { readonly keepsIntegers: boolean }): boolean {
  if (!hugeForm.test(text)) return false;
  return holdsNumber(text, (number) => !Number.isFinite(Number(number)) && !(keepsIntegers && isIntegerLexeme(number)));
}

function holdsNumber(text: string, isMeant: (lexeme: string) => boolean): boolean {
  let isFound = false;
  readJson(text, (lexeme) => {
    isFound ||= isMeant(lexeme);
    return null;
  });
  return isFound;
}
