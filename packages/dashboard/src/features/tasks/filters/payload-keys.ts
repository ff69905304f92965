import { suggestQuery } from "@svc/client/task-query";
import type { TasksSearch } from "../../task-data/index.ts";
import type { Known } from "./facets.ts";
import { withTerm } from "./query-terms.ts";

const fields = ["args", "result"] as const;

/** Where recent payloads have a key: there itself, or as the last step of a path. Without any, among the arguments. */
export function placeOf(known: Known, key: string): string {
  const paths = fields.flatMap((field) => (known[field] ?? []).map(({ value }) => ({ field, value })));
  const found = paths.find(({ value }) => value === key) ?? paths.find(({ value }) => value.endsWith(`.${key}`));
  return found ? `${found.field}.${found.value}` : `args.${key}`;
}

/** What a search with words such as `customer=42` was probably meant to be; null without such a word. */
export function meantSearch(search: TasksSearch, known: Known): { q: string; search: TasksSearch } | null {
  const meant = (text: string | undefined) => (text ? suggestQuery(text, (key) => placeOf(known, key)) : null);
  const [ofText, ofQuery] = [meant(search.search), meant(search.q)];
  if (ofText === null && ofQuery === null) return null;
  const { search: text, task: _, tab: __, ...rest } = search;
  const whole = ofQuery ?? search.q;
  return {
    q: ofText ?? ofQuery ?? "",
    search: {
      ...rest,
      ...(text !== undefined && ofText === null && { search: text }),
      q: ofText === null ? (whole ?? "") : withTerm(whole, ofText),
    },
  };
}
