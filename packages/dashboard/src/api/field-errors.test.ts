import { ApiProblem } from "@svc/client";
import { expect, test } from "vitest";
import { conflictReason, errorsByField } from "./field-errors.ts";

const problem = (code: string, details: Record<string, unknown>) =>
  new ApiProblem({ code, status: 422, message: "no", details });

test("the errors of a 422 are assigned to their fields, the first of each", () => {
  const errors = [
    { loc: ["body", "slug"], message: "This slug is reserved." },
    { loc: ["body", "slug"], message: "And it is long." },
    { loc: ["body", "allowed_cidrs", 3], message: "must be a CIDR" },
    { loc: ["query", 7], message: "of no field" },
    { loc: "body", message: 4 },
  ];
  expect(errorsByField(problem("validation_error", { errors }))).toEqual({
    slug: "This slug is reserved.",
    allowed_cidrs: "must be a CIDR",
  });
});

test.each([
  ["no list", problem("validation_error", { errors: "x" })],
  ["another error", new TypeError("x")],
  ["none", null],
])("%s has no field errors", (_what, error) => {
  expect(errorsByField(error)).toEqual({});
});

test("only a conflict names a reason", () => {
  expect(conflictReason(problem("conflict", { reason: "slug_in_use" }))).toBe("slug_in_use");
  expect(conflictReason(problem("conflict", {}))).toBeNull();
  expect(conflictReason(problem("forbidden", { reason: "slug_in_use" }))).toBeNull();
});
