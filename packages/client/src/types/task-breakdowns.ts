import type { TaskFilters } from "./tasks.ts";

export type FacetField = "state" | "priority" | "name" | "queue" | "worker" | "engine";

export interface FacetQuery extends TaskFilters {
  field: FacetField;
  /** Literal beginning of the values, with case. */
  prefix?: string;
  /** 1 to 100, default 20. */
  limit?: number;
}

/** Values of a field, the greatest count first. The filter on the field itself is left aside. */
export interface Facet {
  field: FacetField;
  /** `count` is a lower bound where `exact` is false. */
  values: { value: string; count: number; exact: boolean }[];
}

/** since and until default to the last 24 h, and are at most 90 days apart. */
export interface TaskHistogramQuery extends TaskFilters {
  /** At most so many parts of the range: 1 to 200, default 60. */
  buckets?: number;
}

export interface TaskHistogram {
  /** Start of the first bucket, at or before `since`. */
  from: string;
  to: string;
  /** False when the time was used up: buckets that begin before `reached` hold too little. */
  exact: boolean;
  reached: string | null;
  /** `events`: ends and retries at the time they happened; `tasks`: present states, by received_at. */
  counted: "events" | "tasks";
  bucket_seconds: number;
  buckets: { t: string; success: number; failure: number; other: number }[];
}

/** Exactly one of name (exact) and fingerprint; since and until default to the last 24 h, and are at most 90 days apart. */
export interface TaskDifferencesQuery {
  name?: string;
  fingerprint?: string;
  since?: string;
  until?: string;
}

/** What failed tasks have in common that passed ones of the same name do not. */
export interface TaskDifferences {
  /** Tasks that were compared, at most 2000 of each. */
  failed: number;
  passed: number;
  /** Whether there are more of either; then those that were compared are spread over the range as all of them are. */
  sampled: boolean;
  /**
   * Shares (0 to 1) that differ by at least 20 points, where at least 5 failed tasks have the value; the greatest difference first, 10 at
   * most. `field` is worker, queue, priority, release, hour (0 to 23, of received_at in UTC), or a path such as `kwargs.user.region`.
   */
  attributes: { field: string; value: string; failed_share: number; passed_share: number }[];
}
