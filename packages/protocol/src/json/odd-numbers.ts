import { canonicalNumber, isIntegerLexeme } from "./numbers.ts";
import { readJson } from "./read-json.ts";

// Which JSON texts hold numbers that need a second look. Both begin with one pass over the text, because nearly none does.

/**
 * A float or a negative zero where a value may begin. A colon behind a digit is part of a time, which is far more common. In a string it
 * may be found too.
 */
const floatForm =
  /[:,[](?<![0-9]:)[ \t\r\n]*(-0(?![0-9.eE])|-?[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+))/g;

const oddForm = /[:,[](?<![0-9]:)[ \t\r\n]*(?:-0|-?(?:[0-9]+[.eE]|[0-9]{16}))/;

/** False for a JSON list or object whose numbers are all canonical integers that a double holds; one pass, for nearly every text. */
export function mayHoldOddNumber(text: string): boolean {
  return oddForm.test(text);
}

/** Whether every number of a JSON text is written as canonical JSON writes it. */
export function areNumbersCanonical(text: string): boolean {
  floatForm.lastIndex = 0;
  for (let found = floatForm.exec(text); found !== null; found = floatForm.exec(text)) {
    const lexeme = found[1] as string;
    if (canonicalNumber(lexeme) !== lexeme) return !holdsNumber(text, (number) => canonicalNumber(number) !== number);
  }
  return true;
}

/** What a number beyond every double has: an exponent of three digits, or very many digits before a shorter one. */
const hugeForm = /[eE]\+?[0-9]{3}|(?<![0-9])[0-9]{200}/;

/** Whether a JSON text holds a number that overflows to infinity; whole numbers only count when their digits are not kept. */
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
