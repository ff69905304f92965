import { expect, test } from "vitest";
import { type ApiDocument, clientTypes } from "./client-types.ts";

const text = { type: "string" } as const;

function printed(schemas: ApiDocument["components"]["schemas"], paths: ApiDocument["paths"] = {}): string {
  return clientTypes({ paths, components: { schemas } }).split("\n").slice(2).join("\n");
}

test("an object becomes an interface with described members", () => {
  const Task = {
    type: "object",
    description: "one job",
    properties: {
      id: text,
      queue: { anyOf: [{ ...text, description: "where it waits" }, { type: "null" }] },
      tags: { type: "array", items: { anyOf: [text, { type: "null" }] } },
      next_page: { type: ["integer", "null"], description: "next_cursor or null" },
      kwargs: { type: "object", patternProperties: { "^.*$": {} } },
      result: { anyOf: [{}, { type: "null" }] },
      state: { $ref: "#/components/schemas/State" },
    },
    required: ["id", "queue"],
  };
  expect(printed({ Task })).toBe(`/** One job. */
export interface Task {
  id: string;
  /** Where it waits. */
  queue: string | null;
  tags?: (string | null)[];
  /** next_cursor or null. */
  next_page?: number | null;
  kwargs?: Record<string, unknown>;
  result?: unknown;
  state?: State;
}
`);
});

test("an enumeration becomes a list and the type of its members", () => {
  expect(printed({ TaskPriority: { type: "string", enum: ["high", "low"] } })).toBe(`export const taskPriorities = [
  "high",
  "low",
] as const;
export type TaskPriority = (typeof taskPriorities)[number];
`);
});

test("an operation's query becomes an interface, its path does not", () => {
  const parameters = [
    { name: "slug", in: "path", required: true, schema: text },
    { name: "field", in: "query", required: true, description: "what to count", schema: text },
    { name: "limit", in: "query", required: false, schema: { type: "integer" } },
  ];
  const get = { operationId: "getFacet", parameters };
  expect(
    printed({}, { "/facets": { get, delete: { operationId: "deleteFacet" } } }),
  ).toBe(`export interface GetFacetQuery {
  /** What to count. */
  field: string;
  limit?: number;
}
`);
});
