import { isQueryField, parseTaskQuery, type QueryField, queryFields } from "@svc/client/task-query";

// Splits the list's search, `q`, into terms; each is a token in the filter bar.

export interface QueryTerm {
  text: string;
  /** Why the term is invalid; null if it isn't. */
  error: string | null;
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
    error: faults.find((fault) => fault.at < span.to && fault.to > span.from)?.message ?? null,
  }));
  const [first] = faults;
  // An error of the whole search, such as too many terms, belongs to no single term.
  if (first && terms.every((term) => term.error === null)) {
    const last = terms.at(-1);
    if (last) last.error = first.message;
    else return [{ text: q, error: first.message }];
  }
  return terms;
}

/** The search with a term added, unless it is already included. */
export function withTerm(q: string | undefined, term: string): string {
  if (!q) return term;
  return termsOf(q).some((one) => one.text === term) ? q : `${q} ${term}`;
}

/** The search without the term at an index; undefined if no terms remain. */
export function withoutTerm(q: string, at: number): string | undefined {
  const rest = termsOf(q).filter((_, index) => index !== at);
  return rest.length === 0 ? undefined : rest.map((term) => term.text).join(" ");
}

/** Whether a typed text is a search query: it names one of the search fields. */
export function isQueryText(text: string): boolean {
  return parseTaskQuery(text).tokens.some(
    ({ kind, from, to }) => kind === "field" && isQueryField(text.slice(from, to).toLowerCase()),
  );
}

export function queryError(text: string): string | null {
  return parseTaskQuery(text).faults[0]?.message ?? null;
}

/** Fields that only the search supports, with their meaning. */
export function searchFields(): { name: QueryField; meaning: string; sample: string }[] {
  const plain: readonly string[] = ["state", "priority", "name", "queue", "worker", "since", "until"];
  return Object.entries(queryFields).flatMap(([name, { meaning, sample }]) =>
    isQueryField(name) && !plain.includes(name) ? [{ name, meaning, sample }] : [],
  );
}
