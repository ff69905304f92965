import type { ColumnTerm, ListFilter, QueryPlan } from "../query/query.ts";
import type { SourceColumn, TaskSource } from "./match-reads.ts";

const labelColumns = { name: "name", queue: "queue", worker: "worker_name" } as const;

/** The values by which an index returns all tasks of a term; null for a term that only narrows other results. */
export function sourceOfTerm(term: ColumnTerm): NonNullable<TaskSource> | null {
  if (term.isNegated) return null;
  if (term.kind === "choice") return { column: term.field, values: [...new Set<string>(term.values)] };
  if (term.kind !== "label" || term.values === undefined || !(term.field in labelColumns)) return null;
  return { column: labelColumns[term.field as keyof typeof labelColumns], values: term.values };
}

/** The conditions that have an index, usually most selective first. */
export function indexedSources(filter: ListFilter): NonNullable<TaskSource>[] {
  const sources: NonNullable<TaskSource>[] = [];
  const add = (column: SourceColumn, values: readonly string[] | undefined) => {
    if (values !== undefined) sources.push({ column, values });
  };
  add("worker_name", filter.worker === undefined ? undefined : [filter.worker]);
  add("error", filter.hasError === true ? [""] : undefined);
  add("queue", filter.queue === undefined ? undefined : [filter.queue]);
  add("state", filter.state === undefined ? undefined : [filter.state]);
  add("priority", filter.priorities);
  for (const term of filter.terms ?? []) {
    const source = sourceOfTerm(term);
    if (source !== null) sources.push(source);
  }
  return sources;
}

export const hasText = (filter: ListFilter): boolean => filter.name !== undefined || filter.search !== undefined;

/** Whether the filter consists only of the time and these sources. */
export const holdsOnlySources = (filter: ListFilter): boolean =>
  !hasText(filter) && (filter.terms ?? []).every((term) => sourceOfTerm(term) !== null);

/** Whether one index holds the answer in list order. */
export const isDirect = (filter: ListFilter): boolean => {
  const sources = indexedSources(filter);
  return holdsOnlySources(filter) && sources.length <= 1 && (sources[0]?.values.length ?? 1) === 1;
};

/** Whether the filter has conditions besides one text and the time. */
export const isCombined = (filter: ListFilter): boolean =>
  indexedSources(filter).length > 0 ||
  (filter.terms ?? []).length > 0 ||
  (filter.name !== undefined && filter.search !== undefined);

/** Whether a plan has no condition besides the time. */
export const isOnlyTimed = ({ filter, content }: Pick<QueryPlan, "filter" | "content">): boolean =>
  content.length === 0 && filter.terms === undefined && !hasText(filter) && indexedSources(filter).length === 0;
