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
