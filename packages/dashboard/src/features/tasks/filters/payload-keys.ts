import { suggestQuery } from "@svc/client/task-query";
import type { TasksSearch } from "../../task-data/index.ts";
import type { Known } from "./facets.ts";
import { withTerm } from "./query-terms.ts";

const fields = ["args", "result"] as const;

/** The path of a key in recent payloads, at the top level or as the last step of a path; by default in the arguments. */
export function placeOf(known: Known, key: string): string {
  const paths = fields.flatMap((field) => (known[field] ?? []).map(({ value }) => ({ field, value })));
  const found = paths.find(({ value }) => value === key) ?? paths.find(({ value }) => value.endsWith(`.${key}`));
  return found ? `${found.field}.${found.value}` : `args.${key}`;
}

/** The probably intended search for text such as `customer=42`; null for other text. */
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
