import { isQueryField, parseTaskQuery, type QueryField, queryFields } from "@svc/client/task-query";

// The search of the list, `q`, taken apart into terms: each is a token in the filter bar.

export interface QueryTerm {
  text: string;
  /** What is wrong with it; null when nothing is. */
  fault: string | null;
}

/** The terms of a search as they were written. */
export function termsOf(q: string): QueryTerm[] {
  const { tokens, faults } = parseTaskQuery(q);
  const spans: { from: number; to: number }[] = [];
  for (const { from, to } of tokens) {
    const last = spans.at(-1);
    if (last && from === last.to) last.to = to;
    else spans.push({ from, to });
  }
  const terms = spans.map((span) => ({
    text: q.slice(span.from, span.to),
    fault: faults.find((fault) => fault.at < span.to && fault.to > span.from)?.message ?? null,
  }));
  const [first] = faults;
  // A fault of the whole, such as too many terms, belongs to no single one.
  if (first && terms.every((term) => term.fault === null)) {
    const last = terms.at(-1);
    if (last) last.fault = first.message;
    else return [{ text: q, fault: first.message }];
  }
  return terms;
}

/** The search with one term more; one that it has already is not repeated. */
export function withTerm(q: string | undefined, term: string): string {
  if (!q) return term;
  return termsOf(q).some((one) => one.text === term) ? q : `${q} ${term}`;
}

/** The search without the term at a place; undefined when nothing is left of it. */
export function withoutTerm(q: string, at: number): string | undefined {
  const rest = termsOf(q).filter((_, index) => index !== at);
  return rest.length === 0 ? undefined : rest.map((term) => term.text).join(" ");
}

/** Whether a typed text is meant for the search: it names one of its fields. */
export function isQueryText(text: string): boolean {
  return parseTaskQuery(text).tokens.some(
    ({ kind, from, to }) => kind === "field" && isQueryField(text.slice(from, to).toLowerCase()),
  );
}

export function queryFault(text: string): string | null {
  return parseTaskQuery(text).faults[0]?.message ?? null;
}

/** Fields that only the search has, with what they mean. */
export function searchFields(): { name: QueryField; meaning: string; sample: string }[] {
  const plain: readonly string[] = ["state", "priority", "name", "queue", "worker", "since", "until"];
  return Object.entries(queryFields).flatMap(([name, { meaning, sample }]) =>
    isQueryField(name) && !plain.includes(name) ? [{ name, meaning, sample }] : [],
  );
}
