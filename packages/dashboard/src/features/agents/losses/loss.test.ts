import type { AgentStatusSample } from "@svc/client";
import { describe, expect, test } from "vitest";
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
  test("has the increases of a cumulative counter", () => {
    expect(lossSeries(samples(5, 5, 9, 9), "event_records")).toEqual({ steps: [0, 4, 0], total: 4 });
    expect(lossNow(samples(5, 5, 9, 9), "event_records")).toBe(9);
  });

  test("treats a counter that fell as restarted", () => {
    expect(lossSeries(samples(40, 3), "event_records").steps).toEqual([3]);
  });

  test("has no loss if the agent reports none", () => {
    expect(lossSeries(samples(undefined, undefined), "event_records").total).toBe(0);
    expect(lossNow([], "event_records")).toBe(0);
  });
});

test("adapterLosses has the adapters with losses in the newest sample", () => {
  const newest = {
    id: 1,
    captured_at: "2026-11-20T10:00:00.000Z",
    payload: { telemetry_loss: { adapter_events: { a: 0, b: 2, c: 9 } } },
  };
  expect(adapterLosses([newest, ...samples(1)])).toEqual([
    { adapter: "c", events: 9 },
    { adapter: "b", events: 2 },
  ]);
  expect(adapterLosses([])).toEqual([]);
});
