import { fieldNamed } from "./interpret.ts";
import { parseTaskQuery } from "./parse.ts";
import { printText } from "./print.ts";
import { type RawTerm, scanQuery } from "./scan.ts";

const equation = /^(-?)([A-Za-z_][\w.-]*)=(?!=)(.+)$/s;

/** A word such as `customer=42` or `customer:42`, whose key is not a field. */
interface KeyedWord {
  readonly sign: string;
  readonly key: string;
  /** In query syntax. */
  readonly value: string;
}

function keyedWord(q: string, { from, to, head, isNegated }: RawTerm): KeyedWord | null {
  if (head !== null) {
    const value = q.slice(head.to + 1, to);
    return fieldNamed(head.name) === head.name || value === ""
      ? null
      : { sign: isNegated ? "-" : "", key: q.slice(head.from, head.to), value };
  }
  const [, sign = "", key = "", value = ""] = equation.exec(q.slice(from, to)) ?? [];
  return key === "" ? null : { sign, key, value: value.startsWith('"') ? value : printText(value) };
}

/**
 * Suggests `args.customer:42` for `customer=42` or `customer:42`. A key that is a field or an alias becomes that field.
 *
 * @param pathOf the payload path of a key, such as `args.order.customer`.
 * @returns null when the query contains no such word.
 */
export function suggestQuery(q: string, pathOf = (key: string): string => `args.${key}`): string | null {
  let isChanged = false;
  const terms = scanQuery(q).terms.map((term) => {
    const word = keyedWord(q, term);
    if (word === null) return q.slice(term.from, term.to);
    isChanged = true;
    return `${word.sign}${fieldNamed(word.key.toLowerCase()) ?? pathOf(word.key)}:${word.value}`;
  });
  const suggestion = terms.join(" ");
  return isChanged && parseTaskQuery(suggestion).faults.length === 0 ? suggestion : null;
}
