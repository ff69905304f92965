import { expect, test } from "vitest";
import { bulkRequest, limitFaults, noLimits } from "./bulk-request.ts";

test("empty fields ask for nothing, and the most that a request takes is allowed", () => {
  expect(limitFaults(noLimits)).toEqual({ canarySize: null, canaryFailures: null, rate: null });
  expect(bulkRequest({ state: "failure" }, noLimits, "")).toEqual({ filter: { state: "failure" }, max: 10_000 });
});

test("what is filled in goes along as numbers", () => {
  const limits = { canarySize: " 5 ", canaryFailures: "0", rate: "600" };
  expect(limitFaults(limits)).toEqual({ canarySize: null, canaryFailures: null, rate: null });
  expect(bulkRequest({ state: "failure" }, limits, "a-1")).toMatchObject({
    agent_id: "a-1",
    canary_size: 5,
    canary_max_failures: 0,
    rate_per_minute: 600,
  });
});

test.each([
  ["canarySize", "0", "A whole number, 1 to 10,000"],
  ["canarySize", "10001", "A whole number, 1 to 10,000"],
  ["canarySize", "1.5", "A whole number"],
  ["canaryFailures", "-1", "A whole number, 0 to 10,000"],
  ["canaryFailures", "1", "Say how many are tried first"],
  ["rate", "0", "A whole number, 1 to 1,000,000"],
  ["rate", "many", "A whole number"],
] as const)("%s of %s is a fault", (field, text, fault) => {
  expect(limitFaults({ ...noLimits, [field]: text })[field]).toContain(fault);
});
