import { fieldNamed } from "./interpret.ts";
import { parseTaskQuery } from "./parse.ts";
import { printText } from "./print.ts";
import { type RawTerm, scanQuery } from "./scan.ts";

const equation = /^(-?)([A-Za-z_][\w.-]*)=(?!=)(.+)$/s;

/** A word such as `customer=42` or `customer:42`, whose key names no field. */
interface KeyedWord {
  readonly sign: string;
  readonly key: string;
  /** As a query writes it. */
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
 * The query that was probably meant by one with words such as `customer=42` or `customer:42`: `args.customer:42`. A key that names a field,
 * or is another name for one, means that field.
 *
 * @param placeOf where in payloads a key is, such as `args.order.customer`.
 * @returns null when nothing in the query looks like that.
 */
export function meantQuery(q: string, placeOf = (key: string): string => `args.${key}`): string | null {
  let isChanged = false;
  const terms = scanQuery(q).terms.map((term) => {
    const word = keyedWord(q, term);
    if (word === null) return q.slice(term.from, term.to);
    isChanged = true;
    return `${word.sign}${fieldNamed(word.key.toLowerCase()) ?? placeOf(word.key)}:${word.value}`;
  });
  const meant = terms.join(" ");
  return isChanged && parseTaskQuery(meant).faults.length === 0 ? meant : null;
}
