import type { AgentStatusSample } from "@svc/client";
import { describe, expect, test } from "vitest";
import { lossNow, lossSeries } from "./loss.ts";
import { environmentLines, sidecarCommand } from "./snippet.ts";

/** Samples newest first, as the API lists them, from values oldest first. */
function samples(...values: (number | undefined)[]): AgentStatusSample[] {
  return values
    .map((value, at) => ({
      id: at,
      captured_at: new Date(at * 10_000).toISOString(),
      payload: value === undefined ? {} : { telemetry_loss: { event_records: value } },
    }))
    .reverse();
}

describe("lossSeries", () => {
  test("shows what a cumulative counter rose by", () => {
    expect(lossSeries(samples(5, 5, 9, 9), "event_records")).toEqual({ steps: [0, 4, 0], total: 4 });
    expect(lossNow(samples(5, 5, 9, 9), "event_records")).toBe(9);
  });

  test("takes a counter that fell as started anew", () => {
    expect(lossSeries(samples(40, 3), "event_records").steps).toEqual([3]);
  });

  test("reads agents that report no loss as no loss", () => {
    expect(lossSeries(samples(undefined, undefined), "event_records").total).toBe(0);
    expect(lossNow([], "event_records")).toBe(0);
  });
});

describe("the snippet", () => {
  test("names the three settings the side-car reads and nothing that is secret in the command", () => {
    const secrets = { token: "t0ken", hmacSecret: "s3cret" };
    expect(environmentLines("acme", secrets)).toBe(
      "export SVC_TOKEN=t0ken\nexport SVC_HMAC_SECRET=s3cret\nexport SVC_PROJECT_ID=acme",
    );
    expect(sidecarCommand("http://localhost:7700")).toBe(
      "npx svc agent bullmq --redis redis://127.0.0.1:6379 --brain http://localhost:7700",
    );
  });

  test("leaves the secrets empty once they cannot be shown", () => {
    expect(environmentLines("acme", null).split("\n").slice(0, 2)).toEqual([
      "export SVC_TOKEN=",
      "export SVC_HMAC_SECRET=",
    ]);
  });
});
