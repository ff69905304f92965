import { expect, test } from "vitest";
import { bulkRequest, limitErrors, noLimits } from "./bulk-request.ts";

test("empty fields set no limit, and the maximum is what a request may have", () => {
  expect(limitErrors(noLimits)).toEqual({ canarySize: null, canaryFailures: null, rate: null });
  expect(bulkRequest({ state: "failure" }, noLimits, "")).toEqual({ filter: { state: "failure" }, max: 10_000 });
});

test("fields are sent as numbers", () => {
  const limits = { canarySize: " 5 ", canaryFailures: "0", rate: "600" };
  expect(limitErrors(limits)).toEqual({ canarySize: null, canaryFailures: null, rate: null });
  expect(bulkRequest({ state: "failure" }, limits, "a-1")).toMatchObject({
    agent_id: "a-1",
    canary_size: 5,
    canary_max_failures: 0,
    rate_per_minute: 600,
  });
});

test.each([
  ["canarySize", "0", "Enter a whole number from 1 to 10,000"],
  ["canarySize", "10001", "Enter a whole number from 1 to 10,000"],
  ["canarySize", "1.5", "Enter a whole number"],
  ["canaryFailures", "-1", "Enter a whole number from 0 to 10,000"],
  ["canaryFailures", "1", "Enter a canary size first"],
  ["rate", "0", "Enter a whole number from 1 to 1,000,000"],
  ["rate", "many", "Enter a whole number"],
] as const)("%s of %s is an error", (field, text, error) => {
  expect(limitErrors({ ...noLimits, [field]: text })[field]).toContain(error);
});
