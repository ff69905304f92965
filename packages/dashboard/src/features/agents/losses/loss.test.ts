import type { AgentStatusSample } from "@svc/client";
import { describe, expect, test } from "vitest";
import { environmentLines, inProcessCode, sidecarCommand } from "../connecting/snippet.ts";
import { adapterLosses, lossNow, lossSeries } from "./loss.ts";

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

test("adapterLosses names the adapters that lost something, as the newest sample tells it", () => {
  const told = {
    id: 1,
    captured_at: "2026-11-20T10:00:00.000Z",
    payload: { telemetry_loss: { adapter_events: { a: 0, b: 2, c: 9 } } },
  };
  expect(adapterLosses([told, ...samples(1)])).toEqual([
    { adapter: "c", events: 9 },
    { adapter: "b", events: 2 },
  ]);
  expect(adapterLosses([])).toEqual([]);
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

  test("takes the secrets from the environment inside an application", () => {
    const code = inProcessCode("http://localhost:7700");
    expect(code).toContain('brainUrl: "http://localhost:7700"');
    expect(code).toContain("token: process.env.SVC_TOKEN");
  });

  test("leaves the secrets empty once they cannot be shown", () => {
    expect(environmentLines("acme", null).split("\n").slice(0, 2)).toEqual([
      "export SVC_TOKEN=",
      "export SVC_HMAC_SECRET=",
    ]);
  });
});
