import type { BrainDatabase } from "../../../../schema/tables/index.ts";
import { jsonPlaces } from "../../query/content.ts";
import type { ContentTerm, ListFilter } from "../../query/query.ts";
import { findContent } from "../../search/find-content.ts";
import { findMatches } from "../../search/find-matches.ts";
import type { StepClock } from "../../search/step-pace.ts";
import { sampledPayloads } from "../sample-reads.ts";
import { pathsOf } from "./paths.ts";

/** Newest matching tasks whose payloads are read. */
const usualTasks = 200;

export interface PathCount {
  readonly projectId: string;
  readonly field: "args" | "kwargs" | "result";
  readonly filter: ListFilter;
  readonly content: readonly ContentTerm[];
  /** Milliseconds for finding the tasks. */
  readonly budgetMs: number;
  readonly clock?: StepClock;
  readonly mostTasks?: number;
}

/** Paths in the payloads of the newest matching tasks, and how many of these tasks have each; exact when no other task matches. */
export async function countPaths(db: BrainDatabase, count: PathCount) {
  const { field, content, mostTasks = usualTasks, ...search } = count;
  const find = content.length === 0 ? findMatches : findContent;
  const { found, reached } = await find(db, { ...search, content, after: null, limit: mostTasks + 1 });
  const ids = found.slice(0, mostTasks).map(({ id }) => id);
  const exact = reached === null && found.length <= mostTasks;
  const columns = jsonPlaces[field];
  const counts = new Map<string, number>();
  for (const payload of await sampledPayloads(db, ids, columns)) {
    const paths = new Set(columns.flatMap((column) => [...pathsOf(payload[column] ?? "null")]));
    for (const path of paths) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].map(([value, tasks]) => ({ value, count: tasks, exact }));
}
