import { type Static, Type } from "typebox";
import { OneOf } from "../../../platform/http/schemas.ts";
import { taskQueryParams } from "../schemas.ts";

export const facetFields = ["state", "priority", "name", "queue", "worker", "engine"] as const;
export type FacetField = (typeof facetFields)[number];

export const FacetQuery = Type.Object({
  field: OneOf(facetFields),
  prefix: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "literal beginning of the values, with case; for completing what is typed",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: "values, the greatest first; default 20" }),
  ),
  ...taskQueryParams,
});
export type FacetQuery = Static<typeof FacetQuery>;

export const Facet = Type.Object({
  field: OneOf(facetFields),
  values: Type.Array(
    Type.Object({
      value: Type.String(),
      count: Type.Integer({ description: "at least so many, when not exact" }),
      exact: Type.Boolean(),
    }),
  ),
});
