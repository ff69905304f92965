import { isQueryField, type QueryField } from "./language.ts";
import { printText } from "./print.ts";
import { scanQuery } from "./scan.ts";

/** What is being typed. A suggestion replaces the text from `from` to the caret. */
export type Completion =
  | { readonly kind: "field"; readonly from: number; readonly typed: string; readonly isNegated: boolean }
  | {
      readonly kind: "value";
      readonly field: QueryField;
      readonly from: number;
      readonly typed: string;
      readonly isNegated: boolean;
    };

/** What can be completed at the caret. Null inside quotes, after an unknown field and in similar places. */
export function completionAt(text: string, caret: number): Completion | null {
  const before = text.slice(0, caret);
  const term = scanQuery(before).terms.at(-1);
  if (term === undefined || term.to < before.length) return { kind: "field", from: caret, typed: "", isNegated: false };
  const { head, isNegated } = term;
  const value = term.values.at(-1);
  if (value === undefined) return null;
  const typed = before.slice(value.from + (value.order?.length ?? 0));
  if (typed.includes('"')) return null;
  if (head === null) return { kind: "field", from: value.from, typed, isNegated };
  if (!isQueryField(head.name) || head.path.length > 0) return null;
  return { kind: "value", field: head.name, from: caret - typed.length, typed, isNegated };
}

/** A term for one value, as "filter by this" adds it. */
export const fieldTerm = (field: QueryField, value: string, isNegated = false): string =>
  `${isNegated ? "-" : ""}${field}:${printText(value)}`;
